import { bytesOf, encode, type RawBody } from './body.ts';
import { WebhookVerificationError } from './errors.ts';
import { parseEvent, type ReceivedEvent } from './event.ts';
import { type HeaderSource, readSignature } from './headers.ts';
import { platformHmacs } from './hmac.ts';
import { checkSecrets, type Secrets } from './secrets.ts';

/** Options of {@link createVerifier}. */
export interface VerifierOptions {
  /**
   * The accepted secrets, each at least 32 characters, tried in order. During a rotation, list the new
   * secret first and the previous one second.
   *
   * A function is called at the first delivery with a well-formed signature, so that a build without the
   * secrets succeeds. What it returns is used from then on. When it throws or returns an invalid secret,
   * the delivery is refused and the next one calls it again.
   *
   * @example
   * ```ts
   * createVerifier({ secrets: () => process.env.WEBHOOK_SECRET ?? '' });
   * ```
   */
  readonly secrets: Secrets | (() => Secrets | Promise<Secrets>);
  /**
   * The largest accepted distance between `webhook-timestamp`, which is the time of the attempt, and now,
   * in milliseconds, in the past or the future. Above 0. @default 300_000 (5 minutes)
   */
  readonly tolerance?: number | undefined;
  /**
   * The largest accepted distance between the event's `timestamp` and now, in milliseconds, in the past
   * or the future. Above 0; `Infinity` accepts any time. An event without a readable `timestamp` is
   * refused. The service keeps events for 30 days, so the default accepts every manual retry and every
   * paused queue. @default 2_678_400_000 (31 days)
   */
  readonly maxAge?: number | undefined;
  /**
   * Whether deliveries with `X-Service-Signature` alone are accepted. It signs no time, so that a captured
   * delivery can be sent again without its other headers until `maxAge`. @default 'accept'
   */
  readonly serviceSignature?: 'accept' | 'refuse' | undefined;
  /** Returns the current time in milliseconds since the epoch. @default Date.now */
  readonly clock?: (() => number) | undefined;
}

/** A verified delivery. */
export interface Verified {
  /** The event in the body. */
  readonly event: ReceivedEvent;
  /** Index in `secrets` of the secret that matched. Above 0, the delivery used an older secret. */
  readonly secretIndex: number;
  /** When the attempt began, exact to the second; `undefined` with `X-Service-Signature` alone. */
  readonly sentAt: Date | undefined;
}

/** Verifies deliveries, which the service signs with HMAC-SHA256 (RFC 2104). */
export interface Verifier {
  /**
   * Verifies a delivery and returns its event.
   *
   * @param body the body exactly as received, before any body parser
   * @param headers the headers of the request, or the value of `X-Service-Signature`
   * @throws {@link WebhookVerificationError}, also when the function `secrets` throws, as a rejection.
   * Errors of `clock` as they are
   */
  verify(body: RawBody, headers: HeaderSource | string): Promise<ReceivedEvent>;
  /**
   * Verifies a delivery and returns its event, which secret matched, and when it was sent.
   *
   * @param body the body exactly as received, before any body parser
   * @param headers the headers of the request, or the value of `X-Service-Signature`
   * @throws {@link WebhookVerificationError}, also when the function `secrets` throws, as a rejection.
   * Errors of `clock` as they are
   */
  verifyDetailed(body: RawBody, headers: HeaderSource | string): Promise<Verified>;
}

/**
 * Creates a verifier. It uses `node:crypto` where the platform has it, elsewhere Web Crypto.
 *
 * @throws {@link WebhookVerificationError} `invalid_option`, or a code that begins with `secret_`, also for a
 * missing secret. A function `secrets` is called and checked at the first delivery.
 * @example
 * ```ts
 * const webhooks = createVerifier({ secrets: process.env.WEBHOOK_SECRET ?? '' });
 * const event = await webhooks.verify(rawBody, request.headers);
 * ```
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { secrets, serviceSignature = 'accept', clock = Date.now } = options;
  const { tolerance = 300_000, maxAge = 2_678_400_000 } = options;
  checkSpan('tolerance', tolerance);
  checkSpan('maxAge', maxAge);
  const { of, equal } = platformHmacs();
  const hmacsOf = (list: Secrets) => checkSecrets(list).map((secret) => of(encode(secret)));
  let hmacs = typeof secrets === 'function' ? undefined : hmacsOf(secrets);
  const isWithin = (time: number, limit: number) => Math.abs(clock() - time) <= limit;

  const verifyDetailed: Verifier['verifyDetailed'] = async (body, headers) => {
    const bytes = bytesOf(body);
    const { digests, prefix, id, sentAt } = readSignature(headers, serviceSignature === 'accept');
    hmacs ??= hmacsOf(await read(secrets as () => Secrets));
    const expected = await Promise.all(hmacs.map((hmac) => hmac(encode(prefix), bytes)));
    const secretIndex = expected.findIndex((mac) => digests.some((digest) => equal(digest, mac)));
    if (secretIndex < 0) {
      throw new WebhookVerificationError(
        'signature_mismatch',
        'The secret is wrong, or the body was changed.',
      );
    }
    if (sentAt && !isWithin(sentAt.getTime(), tolerance)) {
      throw new WebhookVerificationError('outside_tolerance', 'The attempt is outside tolerance.');
    }
    const event = parseEvent(bytes);
    if ((id ?? event.id) !== event.id) {
      throw new WebhookVerificationError('invalid_event', 'webhook-id is another event.');
    }
    // `Date.parse` of an unreadable timestamp is NaN, which fails every comparison.
    if (!isWithin(Date.parse(event.timestamp), maxAge)) {
      throw new WebhookVerificationError('outside_max_age', 'The event is outside maxAge.');
    }
    return { event, secretIndex, sentAt };
  };
  return {
    verify: async (body, headers) => (await verifyDetailed(body, headers)).event,
    verifyDetailed,
  };
}

function checkSpan(name: string, value: number): void {
  if (value > 0) return;
  throw new WebhookVerificationError('invalid_option', `${name} must be above 0.`);
}

async function read(secrets: () => Secrets | Promise<Secrets>): Promise<Secrets> {
  try {
    return await secrets();
  } catch (cause) {
    throw new WebhookVerificationError('secrets_unavailable', 'The function secrets threw.', {
      cause,
    });
  }
}
