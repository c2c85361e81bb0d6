import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { createPasswords } from '../src/domain/accounts/secrets.ts';

test('the 65th waiting password check is rejected with RATE_LIMIT_EXCEEDED, unless its network is known', async () => {
  const passwords = createPasswords();
  const passwordHash = await passwords.hash('correct horse battery staple');
  const stranger = () => passwords.verify('a guess', passwordHash, { isKnown: false });
  const running = Math.max(1, availableParallelism() - 1);
  const guesses = Array.from({ length: running + 64 }, stranger);
  // Each check begins in a microtask of its own.
  await Promise.resolve();

  const refusal = { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 1 };
  await expect(stranger()).rejects.toMatchObject(refusal);
  await expect(passwords.hash('a new account')).rejects.toMatchObject(refusal);
  const owner = passwords.verify('correct horse battery staple', passwordHash, { isKnown: true });

  expect(await Promise.all(guesses)).not.toContain(true);
  expect(await owner).toBe(true);
  expect(await stranger()).toBe(false);
});
