import { describe, expect, it } from 'vitest';
import { type EventStore, memoryStore, type ReceiverOptions } from '../../src/receiver/index.ts';
import { frameworks } from './frameworks.ts';
import { verifier } from './receiver.ts';

const noStore: unknown = { claim: () => 'claimed', complete: () => {} };

describe.each(frameworks)('%s refuses, when it is made,', (_, build) => {
  it.each<[string, ReceiverOptions]>([
    ['limit', { limit: 0 }],
    ['limit', { limit: Number.NaN }],
    ['limit', { limit: Number.POSITIVE_INFINITY }],
    ['limit', { limit: 1.5 }],
    ['limit', { limit: '1mb' as unknown as number }],
    ['deadline', { deadline: -1 }],
    ['deadline', { deadline: 0 }],
    ['deadline', { deadline: Number.NaN }],
    ['deadline', { deadline: 2_147_483_648 }],
    ['store', { store: noStore as EventStore }],
    ['store', { store: null as unknown as EventStore }],
    ['onError', { onError: 'console' as unknown as () => void }],
  ])('the option %s of %j', async (name, options) => {
    await expect(async () => build(verifier, {}, options)).rejects.toThrow(
      `The option ${name} must`,
    );
  });

  it('a handler that is none', async () => {
    const handlers = { 'vault.deleted': 'delete' as unknown as () => void };
    await expect(async () => build(verifier, handlers)).rejects.toThrow(
      'The handler of vault.deleted must be a function.',
    );
  });

  it('nothing that is left out', async () => {
    const unset = { limit: undefined, deadline: undefined, store: undefined, onError: undefined };
    expect(await build(verifier, { other: undefined }, unset)).toBeDefined();
  });
});

describe('memoryStore refuses', () => {
  it.each(['max', 'ttl', 'lease'])('the option %s when it counts nothing', (name) => {
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => memoryStore({ [name]: value })).toThrow(RangeError);
      expect(() => memoryStore({ [name]: value })).toThrow(
        `The option ${name} must be a whole number`,
      );
    }
  });
});
