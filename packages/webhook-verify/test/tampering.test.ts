import { describe, expect, test } from 'vitest';
import { builds, secret } from './support/builds.ts';
import { vaultDeleted } from './support/events.ts';
import { sign } from './support/sign.ts';

const body = Buffer.from(JSON.stringify(vaultDeleted));
const signature = sign(body, secret);
const refused = { name: 'WebhookVerificationError', code: 'signature_mismatch' };

function withBitFlipped(bytes: Uint8Array, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return flipped;
}

describe.each(builds)('a changed body, %s', (_, create) => {
  const verifier = create({ secrets: [secret] });

  test('is refused with any bit flipped', async () => {
    for (let bit = 0; bit < 8 * body.length; bit += 1) {
      const changed = withBitFlipped(body, bit);
      await expect(verifier.verify(changed, signature)).rejects.toMatchObject(refused);
    }
  });

  test('is refused when it is truncated anywhere', async () => {
    for (let length = 0; length < body.length; length += 1) {
      const cut = body.subarray(0, length);
      await expect(verifier.verify(cut, signature)).rejects.toMatchObject(refused);
    }
  });

  test.each([
    ['a space before', Buffer.concat([Buffer.from(' '), body])],
    ['a newline behind', Buffer.concat([body, Buffer.from('\n')])],
    ['a NUL behind', Buffer.concat([body, Buffer.from([0])])],
    ['a byte order mark before', Buffer.concat([Buffer.from('\ufeff'), body])],
    ['itself behind', Buffer.concat([body, body])],
  ])('is refused with %s', async (_addition, changed) => {
    await expect(verifier.verify(changed, signature)).rejects.toMatchObject(refused);
  });
});
