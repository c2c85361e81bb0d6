import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builds, hasRightSignature, outcomeOf, secret, sharedOutcome } from './support/builds.ts';
import { vaultDeleted } from './support/events.ts';

const options = { secrets: [secret] };
const verifiers = builds.map(([, create]) => create(options));

function signatureOf(body: Uint8Array | string): string {
  return `hmac_sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

const text = fc.string({ unit: 'binary', maxLength: 200 });
const hexDigits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 70 });
const header = fc.oneof(
  text,
  fc.string({ maxLength: 200 }),
  hexDigits.map((digits) => `hmac_sha256=${digits}`),
  fc.tuple(text, text).map(([before, after]) => `${before}hmac_sha256=${after}`),
  fc.anything(),
);
const bytes = fc.uint8Array({ maxLength: 300 });

/** A right header with one place changed: a character replaced, added, removed or repeated. */
function almost(right: string): fc.Arbitrary<string> {
  const change = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2 }),
    fc.constantFrom('', ' ', '\n', '\0', 'A', 'g', '0', 'f', ',', '=', '０'),
  );
  return fc
    .record({ from: fc.nat(right.length), removed: fc.constantFrom(0, 1, 1, 2, 64), change })
    .map(
      ({ from, removed, change }) => right.slice(0, from) + change + right.slice(from + removed),
    );
}

/** The contract's rule for the header, written independently of the package. */
function expectedCode(header: string, right: string): string | undefined {
  if (header === '') return 'missing_signature';
  if (!/^hmac_sha256=[0-9a-f]{64}$/.test(header)) return 'malformed_signature';
  return header === right ? undefined : 'signature_mismatch';
}
const body = fc.oneof(bytes, text, fc.json(), fc.anything({ withTypedArray: true }));

describe('for any input', () => {
  test('the outcome is an event or a WebhookVerificationError, the same in every build', async () => {
    await fc.assert(
      fc.asyncProperty(body, header, async (givenBody, givenHeader) => {
        const outcome = await sharedOutcome(options, givenBody, givenHeader);
        expect(outcome).toMatchObject({ name: 'WebhookVerificationError' });
      }),
    );
  });

  test('a header is valid by its exact characters only', async () => {
    const json = JSON.stringify(vaultDeleted);
    const right = signatureOf(json);
    await fc.assert(
      fc.asyncProperty(fc.oneof(almost(right), text, fc.constant(right)), async (givenHeader) => {
        const outcome = await sharedOutcome(options, json, givenHeader);
        expect('code' in outcome ? outcome.code : undefined).toBe(expectedCode(givenHeader, right));
      }),
      { numRuns: 1_000 },
    );
  });

  test('a string and its UTF-8 bytes give the same outcome, also with lone surrogates', async () => {
    const unit = fc.oneof(fc.constantFrom('\ud800', '\udfff', '\ufeff', '\0', '"'), text);
    const note = fc.array(unit, { maxLength: 10 }).map((units) => units.join(''));
    // Written into the JSON as it is, not escaped.
    const bodies = fc.oneof(
      note,
      note.map(
        (raw) => `{"id":"evt_1","type":"t","timestamp":"2026","note":"${raw.replaceAll('"', '')}"}`,
      ),
      note.map((raw) => `\ufeff{"id":"evt_1","timestamp":"2026","type":"${raw}"}`),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (givenText) => {
        const signature = signatureOf(givenText);
        const anyAge = { ...options, maxAge: Infinity };
        const outcome = await sharedOutcome(anyAge, givenText, signature);
        const ofBytes = await sharedOutcome(anyAge, Buffer.from(givenText), signature);
        expect(outcome).toEqual(ofBytes);
        expect('event' in outcome || outcome.code === 'invalid_event').toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('bytes verify under their own signature', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, text), async (givenBody) => {
        const signature = signatureOf(givenBody);
        for (const verifier of verifiers) {
          expect(await hasRightSignature(verifier, givenBody, signature)).toBe(true);
        }
        const outcome = await sharedOutcome(options, givenBody, signature);
        expect('event' in outcome || outcome.code === 'invalid_event').toBe(true);
      }),
    );
  });

  test('a signed event is returned unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (object) => {
        const json = JSON.stringify({ ...vaultDeleted, data: { object } });
        const outcome = await sharedOutcome(options, json, signatureOf(json));
        expect(outcome).toEqual({ secretIndex: 0, event: JSON.parse(json) });
      }),
    );
  });

  test('concurrent verifications do not affect each other', async () => {
    const delivery = fc.record({ body: bytes, rightly: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { maxLength: 20 }), async (deliveries) => {
        for (const verifier of verifiers) {
          const outcomes = await Promise.all(
            deliveries.map(({ body, rightly }) => {
              const signature = signatureOf(rightly ? body : [...body, 0].join());
              return hasRightSignature(verifier, body, signature);
            }),
          );
          expect(outcomes).toEqual(deliveries.map(({ rightly }) => rightly));
        }
      }),
    );
  });

  test('a changed byte is detected', async () => {
    const signed = fc.uint8Array({ minLength: 1, maxLength: 300 }).chain((original) =>
      fc.record({
        original: fc.constant(original),
        position: fc.nat(original.length - 1),
        change: fc.integer({ min: 1, max: 255 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(signed, async ({ original, position, change }) => {
        const changed = original.slice();
        changed[position] = (changed[position] ?? 0) ^ change;
        for (const verifier of verifiers) {
          const outcome = await outcomeOf(verifier, changed, signatureOf(original));
          expect(outcome).toMatchObject({ code: 'signature_mismatch' });
        }
      }),
    );
  });
});
