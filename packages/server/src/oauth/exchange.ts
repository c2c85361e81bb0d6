import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Context, Reply } from '../http/request.ts';
import type { EngineExchange } from './engine-changes.ts';
import type { EngineContext } from './engine-configuration.ts';
import { renderedPage } from './views.ts';

/**
 * Returns a request for the engine with a body that was already read, and a response that reaches no client: the
 * pipeline writes it.
 */
export function detachedExchange({ req }: Context, body: string): EngineExchange {
  const request = new IncomingMessage(new Socket());
  const { 'transfer-encoding': _chunked, ...others } = req.headers;
  const headers = { ...others, 'content-length': String(Buffer.byteLength(body)) };
  Object.assign(request, { method: req.method, url: req.url, headers, complete: true });
  if (body !== '') request.push(body);
  request.push(null);
  return { req: request, res: new ServerResponse(request) };
}

/** Headers that the pipeline sets itself, for all responses. */
const ownHeaders = /^(access-control-.*|cache-control|content-(type|length)|pragma|vary)$/;

/** Returns what the engine has responded. A redirect has no body: it would repeat the code in the Location. */
export function engineReply(ctx: EngineContext): Reply {
  const { status, body, response } = ctx;
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    ownHeaders.test(name) || value === undefined
      ? []
      : [value].flat().flatMap((each) => [name, String(each)]),
  );
  const page = renderedPage(ctx);
  if (page) return { ...page, status: status < 400 ? page.status : status, headers };
  const isRedirect = status >= 300 && status < 400;
  const { type } = response;
  return {
    status,
    headers,
    ...(isRedirect ? { securityHeaders: redirectHeaders } : { body: body ?? '' }),
    ...(type !== '' && !isRedirect && { type: `${type}; charset=utf-8` }),
  };
}

/** A redirect must not tell the app which request of the user led to it. */
const redirectHeaders = ['Referrer-Policy', 'no-referrer', 'X-Content-Type-Options', 'nosniff'];
