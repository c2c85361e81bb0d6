/** Results with their responses. */
import { type ErrorContext, rethrow } from '../errors.ts';

/** One window of the rate limit. */
export interface RateLimitWindow {
  /** Requests in the window that the tier allows. */
  limit: number;
  /** Requests left in the window. */
  remaining: number;
  /** When the window ends. */
  resetAt: Date;
}

/** The rate limit of the account: its requests in the current hour and minute. */
export interface RateLimit extends RateLimitWindow {
  /** The requests of the current minute. Undefined when the response does not say. */
  minute: RateLimitWindow | undefined;
  /** `free`, `paid` or `enterprise`. */
  tier: string | undefined;
}

/** A result with its response. */
export interface ApiResult<T> {
  /** What the method returns without `withResponse()`. */
  data: T;
  /** The response. Its body has been read. */
  response: Response;
  /** Id of the request, for support and logs. */
  requestId: string | undefined;
  /** Undefined when the response has no rate-limit headers. */
  rateLimit: RateLimit | undefined;
}

/** A result and its response, before `ApiPromise` takes them apart. */
export interface RawResult<T> {
  readonly data: T;
  readonly response: Response;
  /** The body of the response; absent when `data` reads it. */
  readonly text?: string;
}

/** The promise of a result, which only rejects with errors of the SDK. */
export class ApiPromise<T> extends Promise<T> {
  readonly #raw: Promise<RawResult<T>>;

  /** @internal */
  constructor(work: () => Promise<RawResult<T>>, context?: ErrorContext) {
    const raw = work().catch(rethrow(context));
    super((resolve, reject) => raw.then(({ data }) => resolve(data), reject));
    this.#raw = raw;
  }

  /** `then` returns a promise without a response. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /**
   * Resolves to the result with its response, request id and rate limit; sends no other request.
   *
   * @example
   * const { data, requestId, rateLimit } = await client.vaults.get(vault.id).withResponse();
   */
  async withResponse(): Promise<ApiResult<T>> {
    // GraphQL adds what an operation has cost.
    const { text: _, ...result } = await this.#result();
    const { headers } = result.response;
    const requestId = headers.get('x-request-id') ?? undefined;
    return { ...result, requestId, rateLimit: rateLimitOf(headers) };
  }

  /**
   * Resolves to the response; sends no other request. Its body can be read, except that of uploads and downloads.
   * Rejects when the call does.
   *
   * @example
   * const response = await client.vaults.get(vault.id).asResponse();
   * console.log(response.headers.get('etag'), await response.json());
   */
  async asResponse(): Promise<Response> {
    const { response, text } = await this.#result();
    return text ? new Response(text, response) : response;
  }

  #result(): Promise<RawResult<T>> {
    // The caller handles the rejection of the promise that is returned.
    this.catch(() => {});
    return this.#raw;
  }
}

/** Reads either of the contract's two spellings. */
function rateLimitOf(headers: Headers): RateLimit | undefined {
  const read = (name: string) =>
    headers.get(`x-ratelimit-${name}`) ?? headers.get(`x-rate-limit-${name}`);
  const windowOf = (prefix: string): RateLimitWindow | undefined => {
    const reset = read(`${prefix}reset`);
    if (reset === null) return undefined;
    return {
      limit: Number(read(`${prefix}limit`)),
      remaining: Number(read(`${prefix}remaining`)),
      resetAt: new Date(/^\d+$/.test(reset) ? Number(reset) * 1_000 : reset),
    };
  };
  const hour = windowOf('');
  return hour && { ...hour, minute: windowOf('minute-'), tier: read('tier') ?? undefined };
}
