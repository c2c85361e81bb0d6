import { asVaultError, type ErrorFacts } from '../errors.ts';

/** What the service said about the caller's rate limit: the window of an hour. */
export interface RateLimit {
  /** Requests per hour that the tier allows. */
  limit: number;
  /** Requests left in the current hour. */
  remaining: number;
  /** When the current hour ends. */
  resetAt: Date;
  /** `free`, `paid` or `enterprise`. */
  tier: string | undefined;
}

/** A result and the answer it came in. */
export interface ApiResult<T> {
  /** What the method without `withResponse()` answers. */
  data: T;
  /** The answer; its body has been read already. */
  response: Response;
  /** Id of the request, for support and logs. */
  requestId: string | undefined;
  /** Undefined when the answer does not say. */
  rateLimit: RateLimit | undefined;
}

/** A promise of a result; `withResponse()` tells more about it, without another request. */
export interface ApiPromise<T> extends Promise<T> {
  /**
   * The result with its response, request id and rate limit; rejects as the promise itself does.
   */
  withResponse(): Promise<ApiResult<T>>;
}

/** A result and its answer, not yet taken apart. */
export interface RawResult<T> {
  readonly data: T;
  readonly response: Response;
}

/** Runs `work` and makes it an {@link ApiPromise} that rejects with errors of the SDK only. */
export function apiPromise<T>(
  work: () => Promise<RawResult<T>>,
  facts?: ErrorFacts,
): ApiPromise<T> {
  const raw = work();
  const fail = (error: unknown): never => {
    throw asVaultError(error, facts);
  };
  const data = raw.then((result) => result.data, fail) as ApiPromise<T>;
  data.withResponse = () => {
    // Whoever asks for the whole result handles the failure there.
    data.catch(() => {});
    return raw.then(describe, fail);
  };
  return data;
}

function describe<T>({ data, response }: RawResult<T>): ApiResult<T> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  return { data, response, requestId, rateLimit: rateLimitOf(response.headers) };
}

/** Reads either of the contract's two spellings. */
function rateLimitOf(headers: Headers): RateLimit | undefined {
  const read = (name: string) =>
    headers.get(`x-ratelimit-${name}`) ?? headers.get(`x-rate-limit-${name}`);
  const reset = read('reset');
  if (reset === null) return undefined;
  return {
    limit: Number(read('limit')),
    remaining: Number(read('remaining')),
    resetAt: new Date(/^\d+$/.test(reset) ? Number(reset) * 1_000 : reset),
    tier: read('tier') ?? undefined,
  };
}
