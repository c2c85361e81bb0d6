import { createCipher } from '@document-vault/sdk/crypto';
import { expect, test } from 'vitest';

const mebibyte = 2 ** 20;
const described = { fileName: 'a.bin', mimeType: 'application/octet-stream' };

/** Returns by how many bytes the memory outside of the JavaScript heap has grown. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().external;
  // The result is kept, so that only what else is left can be collected.
  const result = await work();
  const after = process.memoryUsage().external;
  expect(result).toBeDefined();
  return after - before;
}

test('in Node, whole contents are encrypted and decrypted without memory left to the garbage collector', async () => {
  const cipher = await createCipher({ passphrase: 'correct horse battery', iterations: 1 });
  // Loads the code.
  const { id, ...small } = await cipher.encrypt(new Uint8Array(1), described);
  await cipher.decrypt({ id, ...small });

  const content = new Uint8Array(6 * mebibyte);
  const encrypted = await cipher.encrypt(content, described);
  expect(await growth(() => cipher.encrypt(content, described))).toBeLessThan(6.5 * mebibyte);
  expect(await growth(() => cipher.decrypt(encrypted))).toBeLessThan(6.5 * mebibyte);
  // In base64, a content takes a third more.
  expect(await growth(() => cipher.seal(content, described))).toBeLessThan(8.5 * mebibyte);
});
