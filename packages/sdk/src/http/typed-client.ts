import type { Client, Middleware } from 'openapi-fetch';
import { asVaultError } from '../errors.ts';
import type { paths } from '../generated/openapi.ts';
import { dataOf } from './answer.ts';
import type { Door } from './door.ts';
import { bounded } from './limits.ts';
import type { AnswerCheck, OpenApiClient } from './openapi-client.ts';
import { fillPath } from './path.ts';

/** The typed client of every operation in the contract. */
export type TypedClient = Client<paths, 'application/json'>;

/** What every call of the typed client may say. */
interface AnyInit {
  signal?: AbortSignal;
  middleware?: Middleware[];
}

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];

/**
 * Makes the openapi-fetch client that goes through the door; openapi-fetch itself is loaded by the
 * first call. Beside its own options every call takes those of {@link CallOptions}. It answers
 * `{ data, error, response }` as openapi-fetch does, and rejects only when there is no answer of the
 * service. Middleware sees the URL, method and headers of a request.
 */
export function createTypedClient(door: Door, baseUrl: string): TypedClient {
  let client: OpenApiClient | undefined;
  let used: Middleware[] = [];
  // What openapi-fetch could not read, or hand out, ends here: its errors would quote the body.
  const check: AnswerCheck = (answer, call) => {
    if (answer.ok || answer.status > 599) dataOf(answer, call);
  };
  const load = async () => {
    const { createOpenApiClient } = await import('./openapi-client.ts');
    return createOpenApiClient(door, { baseUrl, pathSerializer: fillPath, check });
  };
  const request = async (method: string, path: string, init: AnyInit = {}) => {
    const given = { ...init, middleware: [...used, ...(init.middleware ?? [])] };
    const facts = { method, path };
    try {
      client ??= await bounded({ signal: init.signal, timeoutMs: Infinity, facts }, load);
    } catch (error) {
      throw asVaultError(error, facts);
    }
    return client.request(method, path, given);
  };
  const byMethod = methods.map((method) => [
    method,
    (path: string, init?: AnyInit) => request(method, path, init),
  ]);
  return {
    ...Object.fromEntries(byMethod),
    request,
    use(...middleware: Middleware[]) {
      used = used.concat(middleware);
    },
    eject(...middleware: Middleware[]) {
      used = used.filter((one) => !middleware.includes(one));
    },
  };
}
