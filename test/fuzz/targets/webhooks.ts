import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import {
  builds,
  secret,
  sharedOutcome,
} from '../../../packages/webhook-verify/test/support/builds.ts';
import type { Target } from '../target.ts';
import { apply, type Edit, edit, hostileJson, hostileText } from '../values.ts';

// Deliveries as receivers get them. Every build of the verifier has the same outcome, and throws only
// WebhookVerificationError.

/** Unix seconds. */
const sentAt = `${Date.parse('2026-03-02T09:17:31Z') / 1000}`;

interface Input {
  /** The bytes of the body, as base64. */
  readonly body: string;
  readonly isText: boolean;
  readonly name: 'x-service-signature' | 'webhook-signature';
  readonly header:
    | { readonly kind: 'signed'; readonly edits: readonly Edit[] }
    | { readonly kind: 'text'; readonly text: string | readonly string[] | null };
  /** Whether the body was changed after it was signed. */
  readonly bodyEdits: readonly Edit[];
}

const event = fc
  .record({ id: hostileJson, type: hostileJson, timestamp: hostileJson, data: hostileJson })
  .map(
    ({ id, type, timestamp, data }) =>
      `{"id":${id},"type":${type},"timestamp":${timestamp},"data":${data}}`,
  );

const inputs: fc.Arbitrary<Input> = fc.record({
  body: fc
    .oneof(
      event.map((text) => Buffer.from(text)),
      fc
        .constantFrom(
          '{"id":"evt_1","type":"vault.created","timestamp":"2026-03-02T09:17:30.512Z","data":{"object":{}}}',
        )
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      hostileText.map((text) => Buffer.from(text)),
    )
    .map((bytes) => bytes.toString('base64')),
  isText: fc.boolean(),
  name: fc.constantFrom('x-service-signature', 'webhook-signature'),
  header: fc.oneof(
    fc.record({ kind: fc.constant('signed' as const), edits: fc.array(edit, { maxLength: 1 }) }),
    fc.record({ kind: fc.constant('signed' as const), edits: fc.constant([]) }),
    fc.record({
      kind: fc.constant('text' as const),
      text: fc.oneof(hostileText, fc.constant(null), fc.array(hostileText, { maxLength: 2 })),
    }),
  ),
  bodyEdits: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(edit, { maxLength: 1 })),
});

export const webhooks: Target<Input> = {
  name: 'webhooks',
  weight: 2,
  inputs,
  async attempt({ body, isText, name, header, bodyEdits }) {
    const bytes = Buffer.from(body, 'base64');
    const text = bytes.toString('utf8');
    const signed = isText ? text : bytes;
    const hmac = createHmac('sha256', secret);
    const right =
      name === 'x-service-signature'
        ? `hmac_sha256=${hmac.update(signed).digest('hex')}`
        : `v1,${hmac.update(`evt_1.${sentAt}.`).update(signed).digest('base64')}`;
    const signature = header.kind === 'signed' ? apply(right, header.edits) : header.text;
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': sentAt, [name]: signature };
    const received =
      bodyEdits.length === 0
        ? signed
        : isText
          ? apply(text, bodyEdits)
          : Buffer.from(apply(bytes.toString('latin1'), bodyEdits), 'latin1');
    const options = {
      secrets: [secret],
      maxAge: 60_000,
      clock: () => Date.parse('2026-03-02T09:17:31Z'),
    };
    const outcome = await sharedOutcome(options, received, headers);
    if ('name' in outcome && outcome.name !== 'WebhookVerificationError') {
      throw new Error(`All ${builds.length} builds threw ${outcome.name}: ${outcome.message}`);
    }
    const isRight =
      `${signature}`.split(' ').includes(right) &&
      Buffer.compare(Buffer.from(received), Buffer.from(signed)) === 0;
    if ('event' in outcome && !isRight)
      throw new Error('A delivery with a wrong signature was accepted');
  },
};
