import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAttempt } from '../../src/delivery/attempt.ts';
import { refusedHeader } from '../../src/generated/rules/webhook-headers.ts';
import { clock, never, receiver } from '../support/delivery/attempts.ts';
import { queuedDelivery } from '../support/delivery/queued.ts';

const tokens = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Valid and invalid characters of header names. */
const name = fc.oneof(
  fc.string({ unit: fc.constantFrom(...tokens), minLength: 1, maxLength: 100 }),
  fc.constantFrom('__proto__', 'constructor', 'Authorization', 'Cookie', 'user-agent', 'Date'),
  fc.string({ unit: 'binary', maxLength: 10 }),
);
const value = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'\t !"az~\u0080é\u00ff'), maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', 'a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\0b', 'x'.repeat(4096)),
);
const headers = fc.array(fc.tuple(name, value), { maxLength: 20 });

const ours = new Set([
  ...['host', 'connection', 'content-type', 'content-length', 'accept-encoding', 'user-agent'],
  ...['x-service-signature', 'x-service-event-id', 'x-service-event-type'],
  'x-service-delivery-id',
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
]);

test('valid headers of a webhook arrive unchanged, and all others are omitted', async () => {
  const { url, requests } = await receiver();
  const post = createAttempt({ clock, timeoutMs: 10_000, allowPrivate: true, userAgent: '-' });
  await fc.assert(
    fc.asyncProperty(headers, async (entries) => {
      const own = Object.fromEntries(entries);
      const record = await post(queuedDelivery({ url, headers: own }), never);
      expect(record.error).toBeNull();
      const { rawHeaders } = requests.splice(0)[0] ?? { rawHeaders: [] };
      const arrived: (readonly [string, string])[] = [];
      for (let index = 0; index < rawHeaders.length; index += 2) {
        arrived.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
      }
      const sent = Object.entries(own)
        .filter(([key, text]) => refusedHeader(key, text) === undefined)
        .map(([key, text]) => [key, text.replaceAll(/^[\t ]+|[\t ]+$/g, '')]);
      const replaced = sent.some(([key]) => key?.toLowerCase() === 'user-agent');
      const others = arrived.filter(
        ([key]) => !ours.has(key.toLowerCase()) || (replaced && key.toLowerCase() === 'user-agent'),
      );
      expect(others.toSorted()).toEqual(sent.toSorted());
      expect(arrived.filter(([key]) => ours.has(key.toLowerCase())).length).toBeGreaterThan(8);
    }),
    { numRuns: 200 },
  );
});
