import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { createPasswords } from '../src/domain/accounts/secrets.ts';

test('the 65th waiting password check is rejected with RATE_LIMIT_EXCEEDED, unless its network is known', async () => {
  const passwords = createPasswords();
  const passwordHash = await passwords.hash('correct horse battery staple');
  let strangers = 0;
  const stranger = () =>
    passwords.verify('a guess', passwordHash, { isKnown: false, site: `site ${++strangers}` });
  const running = Math.max(1, availableParallelism() - 1);
  const guesses = Array.from({ length: running + 64 }, stranger);
  // Each check begins in a microtask of its own.
  await Promise.resolve();

  const refusal = { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 1 };
  await expect(stranger()).rejects.toMatchObject(refusal);
  await expect(passwords.hash('a new account')).rejects.toMatchObject(refusal);
  const owner = passwords.verify('correct horse battery staple', passwordHash, {
    isKnown: true,
    site: 'site 1',
  });

  expect(await Promise.all(guesses)).not.toContain(true);
  expect(await owner).toBe(true);
  expect(await stranger()).toBe(false);
});

test('the 33rd password check of one site is rejected with RATE_LIMIT_EXCEEDED, and those of others run', async () => {
  const passwords = createPasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 });
  const passwordHash = await passwords.hash('correct horse battery staple');
  const check = (site: string | null, isKnown = false) =>
    passwords.verify('a guess', passwordHash, { isKnown, site });
  const guesses = Array.from({ length: 32 }, () => check('2001:db8:1::/48'));
  // Each check begins in a microtask of its own.
  await Promise.resolve();

  const refusal = { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 1 };
  await expect(check('2001:db8:1::/48')).rejects.toMatchObject(refusal);
  await expect(passwords.hash('a new account', '2001:db8:1::/48')).rejects.toMatchObject(refusal);
  const others = [check('2001:db8:2::/48'), check(null), check('2001:db8:1::/48', true)];
  expect(await Promise.all([...others, ...guesses])).not.toContain(true);
  expect(await check('2001:db8:1::/48')).toBe(false);
});
