/** The signature of a delivery, from its headers. */
import { WebhookVerificationError } from './errors.ts';

/**
 * The headers of a request: those of `fetch`, or an object as Node, API Gateway and others have it. The
 * case of the names does not matter.
 */
export type HeaderSource =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | null
  | undefined;

const names = /^(webhook-(id|timestamp)|(webhook|x-service)-signature)$/;

/** What the headers claim: that one of the digests is the HMAC-SHA256 of the prefix and the body. */
export interface ClaimedSignature {
  /** In base64. */
  readonly digests: readonly string[];
  /** The text that is signed before the body. */
  readonly prefix: string;
  /** The id of the event, where it is signed. */
  readonly id?: string;
  /** When the attempt began, where it is signed. */
  readonly sentAt?: Date;
}

/**
 * Returns the signature that the headers claim. `webhook-signature` alone counts where it is given.
 *
 * @param headers the headers, or the value of `X-Service-Signature`
 * @param acceptsService whether `X-Service-Signature` alone is enough
 * @throws {@link WebhookVerificationError} `missing_signature` or `malformed_signature`
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function readSignature(
  headers: HeaderSource | string,
  acceptsService: boolean,
): ClaimedSignature {
  const given = typeof headers === 'string' ? { 'x-service-signature': headers } : read(headers);
  const signature = given['webhook-signature'];
  if (signature !== undefined) return standardClaim(signature, given);
  const service = given['x-service-signature'];
  if (!service || !acceptsService) throw missing('webhook-signature');
  const digits = /^hmac_sha256=([0-9a-f]{64})$/.exec(service)?.[1];
  if (!digits) throw malformed('X-Service-Signature');
  const bytes = digits.replaceAll(/../g, (pair) => String.fromCharCode(Number(`0x${pair}`)));
  return { digests: [btoa(bytes)], prefix: '' };
}

function standardClaim(signature: string, given: Given): ClaimedSignature {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = given;
  if (!id || !timestamp) throw missing(id ? 'webhook-timestamp' : 'webhook-id');
  if (!/^\d{1,11}$/.test(timestamp)) throw malformed('webhook-timestamp');
  // Other versions may stand beside v1.
  const digests = signature
    .split(' ')
    .flatMap((value) => /^v1,([\w+/]{43}=)$/.exec(value)?.[1] ?? []);
  // Servers join two headers of one name by a comma and a space.
  if (digests.length === 0 || signature.includes(', ')) throw malformed('webhook-signature');
  return {
    digests,
    prefix: `${id}.${timestamp}.`,
    id,
    sentAt: new Date(Number(timestamp) * 1000),
  };
}

/** The signature's headers by lower-case name. */
type Given = Readonly<Record<string, string>>;

function read(headers: unknown): Given {
  const given: Record<string, string> = {};
  try {
    for (const [key, value] of entriesOf(headers)) {
      const name = key.toLowerCase();
      const [text, ...others]: unknown[] = [value].flat();
      if (!names.test(name) || (text ?? null) === null) continue;
      if (typeof text !== 'string' || others.length > 0 || name in given) throw malformed(name);
      given[name] = text;
    }
    return given;
  } catch (error) {
    throw error instanceof WebhookVerificationError ? error : malformed('A header', error);
  }
}

/** The `Headers` of `fetch` are iterable. */
function entriesOf(headers: unknown): Iterable<[string, unknown]> {
  const source = (headers ?? {}) as object;
  return Symbol.iterator in source
    ? (source as Iterable<[string, unknown]>)
    : Object.entries(source);
}

function missing(name: string): WebhookVerificationError {
  return new WebhookVerificationError('missing_signature', `No ${name}.`);
}

function malformed(name: string, cause?: unknown): WebhookVerificationError {
  const message = `${name} is malformed or given twice.`;
  return new WebhookVerificationError('malformed_signature', message, { cause });
}
