import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryStore, nodeReceiver } from '../../src/index.ts';
import { startTimeout } from '../../src/receiver/receiver.ts';
import { secret } from '../support/builds.ts';
import { vaultDeleted } from '../support/events.ts';
import { directReceiver, heldHandler, settled } from '../support/receivers/direct.ts';
import { frameworks } from '../support/receivers/frameworks.ts';
import {
  listen,
  openRequest,
  post,
  startReceiver,
  stopServers,
  until,
  verifier,
} from '../support/receivers/receiver.ts';
import { sign } from '../support/sign.ts';

const body = JSON.stringify(vaultDeleted);
const late = 'The event was not handled within 9000 ms.';

function freezeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

afterEach(async () => {
  vi.useRealTimers();
  await stopServers();
});

describe.each(frameworks)('the timeout in %s', (_, build) => {
  test('responds with 500 after 9 s, before the service gives up at 10 s', async () => {
    const { handler, runs } = heldHandler();
    const receiver = await startReceiver(build, { handlers: { 'vault.deleted': handler } });
    freezeTimers();
    let responded = false;
    const answer = post(receiver, body).finally(() => {
      responded = true;
    });
    await until(() => runs.length > 0);
    vi.advanceTimersByTime(8_999);
    await settled();
    expect(responded).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await answer).toEqual({ status: 500, text: late });
    expect(receiver.reports).toMatchObject([
      { error: { code: 'timeout' }, status: 500, eventId: vaultDeleted.id },
    ]);
    runs[0]?.succeed();
    expect(await post(receiver, body)).toEqual({ status: 200, text: 'OK' });
    expect(runs).toHaveLength(1);
  });

  test('applies to a body that arrives byte by byte', async () => {
    const receiver = await startReceiver(build);
    freezeTimers();
    const request = openRequest(receiver, {
      'Content-Length': `${body.length}`,
      Expect: '100-continue',
      'X-Service-Signature': sign(body, secret),
    });
    const responded = once(request, 'response');
    request.write(body.slice(0, 10));
    // Written when the request is handed to the receiver.
    await once(request, 'continue');
    await settled();
    vi.advanceTimersByTime(9_000);
    const [response] = await responded;
    expect(response.statusCode).toBe(400);
    expect(receiver.reports).toMatchObject([{ error: { code: 'body_incomplete' }, status: 400 }]);
    request.end(body.slice(10));
    response.resume();
    await settled();
    expect(receiver.handled).toEqual([]);
  });

  test('does not apply to an acknowledged event', async () => {
    const { handler, runs } = heldHandler();
    const receiver = await startReceiver(build, { handlers: { 'vault.deleted': handler } });
    freezeTimers();
    const answer = post(receiver, body);
    await until(() => runs.length > 0);
    runs[0]?.acknowledge();
    expect(await answer).toEqual({ status: 200, text: 'OK' });
    expect(runs[0]?.signal.aborted).toBe(false);

    runs[0]?.fail(new Error('the queue has it'));
    await settled();
    expect(receiver.reports).toMatchObject([
      { error: { message: 'the queue has it' }, status: 200, eventId: vaultDeleted.id },
    ]);
    expect(await post(receiver, body)).toEqual({ status: 200, text: 'OK' });
    expect(runs).toHaveLength(1);
  });
});

describe('a time limit of the app', () => {
  test('may respond before the receiver', async () => {
    const { handler, runs } = heldHandler();
    const receive = nodeReceiver(verifier, { 'vault.deleted': handler });
    const finished: Promise<void>[] = [];
    const server = createServer((request, response) => {
      finished.push(receive(request, response));
      void until(() => runs.length > 0).then(() => response.writeHead(503).end('too slow'));
    });
    const url = await listen(server);
    expect(await post({ url }, body)).toEqual({ status: 503, text: 'too slow' });
    runs[0]?.succeed();
    await expect(Promise.all(finished)).resolves.toEqual([undefined]);
  });
});

describe('a handler that exceeds the timeout', () => {
  beforeEach(freezeTimers);

  async function lateDelivery() {
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler);
    const answer = receiver.deliver();
    await settled();
    vi.advanceTimersByTime(9_000);
    expect(await answer).toBe(`500 ${late}`);
    const [run] = runs;
    if (run === undefined) throw new Error('the handler did not run');
    return { receiver, run, runs };
  }

  test('gets an aborted signal with the reason', async () => {
    const { run } = await lateDelivery();
    expect(run.signal.reason).toMatchObject({ code: 'timeout', message: late });
  });

  test('and then succeeds has handled the event: the retry gets 200 without running it', async () => {
    const { receiver, run, runs } = await lateDelivery();
    run.succeed();
    await settled();
    expect(await receiver.deliver()).toBe('200 OK');
    expect(runs).toHaveLength(1);
    expect(receiver.reports).toEqual([`500 ${late}`]);
  });

  test('and then acknowledges has handled the event', async () => {
    const { receiver, run, runs } = await lateDelivery();
    run.acknowledge();
    await settled();
    expect(await receiver.deliver()).toBe('200 OK');
    run.fail(new Error('in the queue already'));
    await settled();
    expect(runs).toHaveLength(1);
    expect(receiver.reports).toEqual([`500 ${late}`, '500 in the queue already']);
  });

  test('and then fails runs again at the retry', async () => {
    const { receiver, run, runs } = await lateDelivery();
    run.fail(new Error('full'));
    await settled();
    expect(receiver.reports).toEqual([`500 ${late}`, '500 full']);
    const retry = receiver.deliver();
    await settled();
    expect(runs).toHaveLength(2);
    runs[1]?.succeed();
    expect(await retry).toBe('200 OK');
  });

  test('and throws the reason of the signal is reported once and runs again at the retry', async () => {
    const { receiver, run, runs } = await lateDelivery();
    run.fail(run.signal.reason);
    await settled();
    expect(receiver.reports).toEqual([`500 ${late}`]);
    void receiver.deliver();
    await settled();
    expect(runs).toHaveLength(2);
  });

  test('lets the retry wait for it, up to the timeout of the retry', async () => {
    const { receiver, run, runs } = await lateDelivery();
    const second = receiver.deliver();
    await settled();
    vi.advanceTimersByTime(9_000);
    expect(await second).toBe(`500 ${late}`);
    const third = receiver.deliver();
    await settled();
    run.succeed();
    expect(await third).toBe('200 OK');
    expect(runs).toHaveLength(1);
  });
});

describe('timers', () => {
  beforeEach(freezeTimers);

  test.each<[string, () => unknown, string]>([
    ['a success', () => {}, '200 OK'],
    ['a failure', () => Promise.reject(new Error('full')), '500 The handler failed.'],
  ])('are cleared after %s', async (_, handler, answer) => {
    expect(await directReceiver(handler).deliver()).toBe(answer);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are cleared after a refusal and after the timeout', async () => {
    const receiver = directReceiver(heldHandler().handler);
    expect(await receiver.deliver('evt_1', 'none')).toBe('401 Unauthorized');
    expect(vi.getTimerCount()).toBe(0);
    const answer = receiver.deliver();
    await settled();
    vi.advanceTimersByTime(9_000);
    await answer;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that have fired reject later work at once', async () => {
    const time = startTimeout(250);
    vi.advanceTimersByTime(250);
    const never = new Promise(() => {});
    await expect(time.limit(never)).rejects.toMatchObject({ code: 'timeout' });
  });

  test('run for the option timeout', async () => {
    const receiver = directReceiver(heldHandler().handler, { timeout: 250 });
    const answer = receiver.deliver();
    await settled();
    vi.advanceTimersByTime(250);
    expect(await answer).toBe('500 The event was not handled within 250 ms.');
  });
});

describe('a slow store', () => {
  beforeEach(freezeTimers);

  test('starts no handler after the timeout, and its claim is released', async () => {
    const claims = memoryStore();
    let proceed = () => {};
    const slow = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler, {
      store: { ...claims, claim: (id, token) => slow.then(() => claims.claim(id, token)) },
    });
    const answer = receiver.deliver();
    await settled();
    vi.advanceTimersByTime(9_000);
    expect(await answer).toBe(`500 ${late}`);
    proceed();
    await settled();
    expect(runs).toEqual([]);
    expect(receiver.reports).toEqual([`500 ${late}`]);
    void receiver.deliver();
    await settled();
    expect(runs).toHaveLength(1);
  });

  test('that never resolves leaves the event to a retry', async () => {
    const store = { ...memoryStore(), complete: () => new Promise(() => {}) };
    const receiver = directReceiver(() => {}, { store });
    const answer = receiver.deliver();
    await settled();
    vi.advanceTimersByTime(9_000);
    expect(await answer).toBe(`500 ${late}`);
  });
});
