import { describe, expect, test } from 'vitest';
import { type EventStore, memoryStore, type ReceiverOptions } from '../../src/index.ts';
import { frameworks } from '../support/receivers/frameworks.ts';
import { verifier } from '../support/receivers/receiver.ts';

const noStore: unknown = { claim: () => 'claimed', complete: () => {} };

describe.each(frameworks)('%s throws at construction', (_, build) => {
  test.each<[string, ReceiverOptions]>([
    ['maxBodySize', { maxBodySize: 0 }],
    ['maxBodySize', { maxBodySize: Number.NaN }],
    ['maxBodySize', { maxBodySize: Number.POSITIVE_INFINITY }],
    ['maxBodySize', { maxBodySize: 1.5 }],
    ['maxBodySize', { maxBodySize: '1mb' as unknown as number }],
    ['timeout', { timeout: -1 }],
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: Number.NaN }],
    ['timeout', { timeout: 2_147_483_648 }],
    ['store', { store: noStore as EventStore }],
    ['store', { store: null as unknown as EventStore }],
    ['onError', { onError: 'console' as unknown as () => void }],
  ])('for the option %s of %j', async (name, options) => {
    await expect(async () => build(verifier, {}, options)).rejects.toThrow(
      `The option ${name} must`,
    );
  });

  test('for a handler that is not a function', async () => {
    const handlers = { 'vault.deleted': 'delete' as unknown as () => void };
    await expect(async () => build(verifier, handlers)).rejects.toThrow(
      'The handler of vault.deleted must be a function.',
    );
  });

  test('for no omitted option or handler', async () => {
    const unset = {
      maxBodySize: undefined,
      timeout: undefined,
      store: undefined,
      onError: undefined,
    };
    expect(await build(verifier, { default: undefined }, unset)).toBeDefined();
  });
});

describe('memoryStore() throws a RangeError', () => {
  test.each(['max', 'ttl'])('for the option %s of 0, NaN or a string', (name) => {
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => memoryStore({ [name]: value })).toThrow(RangeError);
      expect(() => memoryStore({ [name]: value })).toThrow(
        `The option ${name} must be a whole number`,
      );
    }
  });
});
