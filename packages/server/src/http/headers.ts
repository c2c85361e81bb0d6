import type { Context, FlatHeaders, Reply } from './request.ts';

/**
 * Returns the security headers of responses to programs. The policy already forbids framing.
 *
 * @param https whether clients reach the server by https
 */
export function programHeaders(https: boolean): FlatHeaders {
  return commonHeaders(https, ["default-src 'none'", "frame-ancestors 'none'"]);
}

/**
 * Returns the security headers of a page, which loads nothing, sends no form and stands in no frame by default.
 *
 * @param policy further directives of its Content-Security-Policy
 * @param formAction where its forms may be sent. Default: nowhere
 */
export function pageHeaders(
  https: boolean,
  policy: readonly string[],
  formAction = "'none'",
): FlatHeaders {
  const ends = ["base-uri 'none'", `form-action ${formAction}`, "frame-ancestors 'none'"];
  return [
    ...commonHeaders(https, ["default-src 'none'", ...policy, ...ends]),
    ...['Cross-Origin-Opener-Policy', 'same-origin'],
    ...['Origin-Agent-Cluster', '?1'],
    ...['Referrer-Policy', 'no-referrer'],
    ...['X-DNS-Prefetch-Control', 'off'],
    ...['X-Download-Options', 'noopen'],
    ...['X-Frame-Options', 'DENY'],
    ...['X-Permitted-Cross-Domain-Policies', 'none'],
  ];
}

function commonHeaders(https: boolean, policy: readonly string[]): FlatHeaders {
  return [
    ...['Content-Security-Policy', policy.join(';')],
    ...['Cross-Origin-Resource-Policy', 'same-origin'],
    ...['X-Content-Type-Options', 'nosniff'],
    ...(https ? ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] : []),
  ];
}

/** Headers that scripts of other origins may read. */
const exposedHeaders = [
  'Date',
  // Names the metadata by which an app finds where its users sign in (RFC 9728, section 5.1).
  'WWW-Authenticate',
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Tier',
  'X-Rate-Limit-Limit',
  'X-Rate-Limit-Remaining',
  'X-Rate-Limit-Reset',
  'X-RateLimit-Minute-Limit',
  'X-RateLimit-Minute-Remaining',
  'X-RateLimit-Minute-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Idempotency-Replayed',
  'Accept-Ranges',
  'Content-Range',
  'ETag',
  'Repr-Digest',
].join(',');

/** Seconds for which a browser remembers the response to a preflight. */
const preflightAge = '600';

export type Cors = ReturnType<typeof createCors>;

/**
 * Cross-origin access for browsers (https://fetch.spec.whatwg.org/#http-cors-protocol). Cookies and other
 * credentials of the browser are never allowed: clients send theirs in headers.
 *
 * @param origins the allowed origins; `*` stands for every origin
 */
export function createCors(origins: readonly string[]) {
  const anyOrigin = origins.includes('*');
  const vary = ['Vary', 'Origin'];
  const forAny = headersFor('*');

  function headersFor(origin: string): string[] {
    return [
      ...vary,
      'Access-Control-Allow-Origin',
      origin,
      'Access-Control-Expose-Headers',
      exposedHeaders,
    ];
  }

  function allowedOrigin({ req }: Context): string | undefined {
    if (anyOrigin) return '*';
    const { origin } = req.headers;
    return origin !== undefined && origins.includes(origin) ? origin : undefined;
  }

  return {
    /**
     * Responds to a preflight of an allowed origin; lets other requests pass.
     *
     * @param methods returns the methods of the path
     */
    preflight(ctx: Context, methods: () => readonly string[]): Reply | undefined {
      const { method, headers } = ctx.req;
      if (method !== 'OPTIONS' || !headers['access-control-request-method']) return undefined;
      const origin = allowedOrigin(ctx);
      if (origin === undefined) return undefined;
      const requested = headers['access-control-request-headers'];
      return {
        status: 204,
        headers: [
          'Access-Control-Allow-Origin',
          origin,
          'Access-Control-Max-Age',
          preflightAge,
          'Access-Control-Allow-Methods',
          methods().join(','),
          ...(requested === undefined ? [] : ['Access-Control-Allow-Headers', requested]),
        ],
      };
    },

    /** The headers of a response. A response depends on its Origin even when the origin is not allowed. */
    headers(ctx: Context): FlatHeaders {
      if (ctx.req.method === 'OPTIONS') return vary;
      if (anyOrigin) return forAny;
      const origin = allowedOrigin(ctx);
      return origin === undefined ? vary : headersFor(origin);
    },
  };
}
