import { afterEach, describe, expect, test, vi } from 'vitest';
import { dispatch, type EventHandlers, memoryStore } from '../../src/index.ts';
import { unknownEvent, vaultDeleted } from '../support/events.ts';
import { directReceiver, heldHandler, settled } from '../support/receivers/direct.ts';

const failure = new Error('the database is away');

afterEach(() => vi.restoreAllMocks());

describe('dispatch()', () => {
  test('runs the handler of the type with a delivery that no secret signed', async () => {
    const handler = vi.fn();
    const { signal } = new AbortController();
    expect(await dispatch({ 'vault.deleted': handler }, vaultDeleted, { signal })).toBe(true);
    expect(handler.mock.calls).toEqual([
      [
        vaultDeleted,
        { secretIndex: -1, sentAt: undefined, signal, acknowledge: expect.any(Function) },
      ],
    ]);
  });

  test('runs default for other types, and returns false without a handler', async () => {
    const handler = vi.fn();
    const event = unknownEvent('vault.archived');
    expect(await dispatch({ default: handler }, event)).toBe(true);
    expect(handler).toHaveBeenCalledOnce();
    const store = memoryStore();
    expect(await dispatch({ 'vault.created': handler }, vaultDeleted, { store })).toBe(false);
    expect(store.claim(vaultDeleted.id, 'a')).toBe('claimed');
  });

  test('runs the handler once with the store of a receiver, whichever comes first', async () => {
    const store = memoryStore();
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler, { store });
    const dispatched = dispatch({ 'vault.deleted': handler }, vaultDeleted, { store });
    await settled();
    runs[0]?.succeed();
    expect(await dispatched).toBe(true);
    expect(await receiver.deliver()).toBe('200 OK');
    expect(await dispatch({ 'vault.deleted': handler }, vaultDeleted, { store })).toBe(true);
    expect(runs).toHaveLength(1);
  });

  test('rejects with event_in_progress while a receiver handles the event', async () => {
    const store = memoryStore();
    const { handler, runs } = heldHandler();
    const received = directReceiver(handler, { store }).deliver();
    await settled();
    await expect(
      dispatch({ 'vault.deleted': handler }, vaultDeleted, { store }),
    ).rejects.toMatchObject({ code: 'event_in_progress' });
    runs[0]?.succeed();
    expect(await received).toBe('200 OK');
  });

  test('rejects with the error of the handler, and the next call runs it again', async () => {
    const store = memoryStore();
    const handler = vi.fn().mockRejectedValueOnce(failure);
    const handlers = { 'vault.deleted': handler };
    await expect(dispatch(handlers, vaultDeleted, { store })).rejects.toBe(failure);
    expect(await dispatch(handlers, vaultDeleted, { store })).toBe(true);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test('resolves at acknowledge, and writes a later error to the console', async () => {
    const toConsole = vi.spyOn(console, 'error').mockReturnValue();
    const { handler, runs } = heldHandler();
    const dispatched = dispatch({ 'vault.deleted': handler }, vaultDeleted);
    await settled();
    runs[0]?.acknowledge();
    expect(await dispatched).toBe(true);
    runs[0]?.fail(failure);
    await settled();
    expect(toConsole).toHaveBeenCalledWith(failure);
  });

  test('rejects with a TypeError for a handler that is not a function, and for a store without release', async () => {
    const wrong: unknown = { 'vault.deleted': 'delete' };
    await expect(dispatch(wrong as EventHandlers, vaultDeleted)).rejects.toThrow(
      'The handler of vault.deleted must be a function.',
    );
    const store = { ...memoryStore(), release: undefined as never };
    await expect(dispatch({ default: () => {} }, vaultDeleted, { store })).rejects.toThrow(
      'The option store must have a method release.',
    );
  });
});
