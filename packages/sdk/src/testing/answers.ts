import { catalogue, type Failure } from './failure.ts';
import { rateLimitHeaders } from './rate-limit.ts';
import { timestamp, type World } from './world.ts';

/** What every answer says. */
export interface AnswerFacts {
  readonly requestId: string;
  /** The rate limit, in both spellings. */
  readonly rateLimit: Headers;
}

function headersOf(world: World, { requestId, rateLimit }: AnswerFacts): Headers {
  const headers = new Headers(rateLimit);
  headers.set('x-request-id', requestId);
  headers.set('access-control-allow-origin', '*');
  headers.set('access-control-expose-headers', '*');
  // Clients read the clock of the service from it.
  headers.set('date', new Date(world.now()).toUTCString());
  return headers;
}

/** A success; undefined as the body: 204. */
export function success(
  world: World,
  facts: AnswerFacts,
  answer: { readonly status: number; readonly body: unknown; readonly replayed: boolean },
): Response {
  const headers = headersOf(world, facts);
  if (answer.replayed) headers.set('idempotency-replayed', 'true');
  const { status } = answer;
  if (status === 204) return new Response(null, { status, headers });
  headers.set('content-type', 'application/json; charset=utf-8');
  return new Response(JSON.stringify(answer.body), { status, headers });
}

/** The error body of the contract. */
export function failed(
  world: World,
  facts: AnswerFacts,
  { failure, replayed = false }: { readonly failure: Failure; readonly replayed?: boolean },
): Response {
  const { code, message, details, retryAfter } = failure;
  const { rateLimit, requestId } = facts;
  const headers = headersOf(world, { ...facts, rateLimit: limitOf(world, rateLimit, retryAfter) });
  headers.set('content-type', 'application/json; charset=utf-8');
  if (replayed) headers.set('idempotency-replayed', 'true');
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  const error = {
    code,
    message,
    details,
    requestId,
    timestamp: timestamp(world.now()),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  return new Response(JSON.stringify({ error }), { status: catalogue[code].status, headers });
}

/** A limit that is used up says so, and when it opens. */
function limitOf({ now }: World, rateLimit: Headers, retryAfter: number | undefined): Headers {
  if (retryAfter === undefined) return rateLimit;
  const said = rateLimit.get('x-ratelimit-tier');
  const tier = said === 'free' || said === 'paid' ? said : 'enterprise';
  return rateLimitHeaders({ tier, remaining: 0, resetAt: now() + retryAfter * 1_000 });
}
