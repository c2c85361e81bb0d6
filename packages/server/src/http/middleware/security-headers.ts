import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';
import type { Step } from '../state.ts';

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/**
 * What an interface for programs needs: its answers are data, and nothing is to be made of them. What
 * matters to pages alone is left out, as each header costs a request a percent of its time; framing
 * is forbidden by the policy already.
 */
const forPrograms = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} satisfies HelmetOptions;

/** The headers that helmet would set on every answer, found out once: they are always the same. */
export function headersOf(options: HelmetOptions): HeaderPairs {
  const headers: [string, string][] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}

/**
 * Tells browsers to make nothing else of an answer than the data it is, and caches not to keep it.
 *
 * @param https whether clients reach the server by https: only then they are told to insist on it
 */
export function setSecurityHeaders(https: boolean): Step {
  const headers: HeaderPairs = [
    ...headersOf({ ...forPrograms, strictTransportSecurity: https }),
    ['Cache-Control', 'no-store'],
  ];
  return (ctx, next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    return next();
  };
}
