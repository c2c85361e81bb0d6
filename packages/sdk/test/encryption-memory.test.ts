import { expect, test, vi } from 'vitest';
import { cheapCipher } from './support/cipher.ts';

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

/** Returns by how many bytes the memory outside of the JavaScript heap was larger at the moment of a copy. */
async function peak(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().external;
  let largest = 0;
  const { set } = Uint8Array.prototype;
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const copying = vi.spyOn(typedArray, 'set').mockImplementation(function (
    this: Uint8Array,
    ...args
  ) {
    largest = Math.max(largest, process.memoryUsage().external);
    return set.apply(this, args);
  });
  try {
    expect(await work()).toBeDefined();
  } finally {
    copying.mockRestore();
  }
  return largest - before;
}

test('in Node, whole contents are encrypted and decrypted without memory left to the garbage collector', async () => {
  const cipher = await cheapCipher('correct horse battery', { iterations: 1 });
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

test('in Node, whole contents are encrypted and decrypted in memory for the result and a few segments', async () => {
  const cipher = await cheapCipher('correct horse battery', { iterations: 1 });
  const content = new Uint8Array(16 * mebibyte);
  const encrypted = await cipher.encrypt(content, described);
  await cipher.decrypt(encrypted);
  expect(await peak(() => cipher.encrypt(content, described))).toBeLessThan(22 * mebibyte);
  expect(await peak(() => cipher.decrypt(encrypted))).toBeLessThan(22 * mebibyte);
});
