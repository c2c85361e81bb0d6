import { afterEach, describe, expect, test } from 'vitest';
import { vaultDeleted } from '../support/events.ts';
import {
  countRead,
  oneByteChunk,
  openSender,
  type RawSender,
  type ServerReads,
  sendOneByteChunks,
  usedMemory,
} from '../support/receivers/flood.ts';
import { type BuildServer, frameworks } from '../support/receivers/frameworks.ts';
import {
  post,
  startReceiver,
  stopServers,
  type TestReceiver,
  until,
} from '../support/receivers/receiver.ts';

const mebibyte = 1_048_576;

/** Bytes that the engine allocates during a measurement, for example for compiled code. */
const engine = mebibyte;

interface CountingReceiver {
  readonly receiver: TestReceiver;
  readonly read: ServerReads;
}

/** Starts a receiver and counts the bytes that it reads. */
async function countingReceiver(build: BuildServer, limit = mebibyte): Promise<CountingReceiver> {
  let read: ServerReads | undefined;
  const counted: BuildServer = async (...receiver) => {
    const server = await build(...receiver);
    read = countRead(server);
    return server;
  };
  const receiver = await startReceiver(counted, { options: { maxBodySize: limit } });
  if (read === undefined) throw new Error('no server was built');
  return { receiver, read };
}

function openSenders(url: string, connections: number): Promise<RawSender[]> {
  return Promise.all(Array.from({ length: connections }, () => openSender(url)));
}

function closeAll(senders: readonly RawSender[]): void {
  for (const { socket } of senders) socket.destroy();
}

afterEach(stopServers);

describe.each(frameworks)('memory of %s', (_, build) => {
  test('is at most 4 bytes for each byte from 100 connections in 900 chunks of one byte each', async () => {
    const [connections, chunks] = [100, 900];
    const { receiver, read } = await countingReceiver(build);
    const senders = await openSenders(receiver.url, connections);
    // After some chunks, because the connections and the code occupy memory too.
    await sendOneByteChunks(senders, 100, read);
    const idle = await usedMemory();
    await sendOneByteChunks(senders, chunks, read);
    expect((await usedMemory()) - idle).toBeLessThan(4 * connections * chunks + engine);

    await Promise.all(senders.map(({ write }) => write('0\r\n\r\n')));
    await until(() => senders.every(({ received }) => received().startsWith('HTTP/1.1 401')));
    closeAll(senders);
    expect(receiver.handled).toEqual([]);
  });

  test('does not grow by one-byte chunks after a refusal', async () => {
    const { receiver, read } = await countingReceiver(build, 100);
    const senders = await openSenders(receiver.url, 10);
    await sendOneByteChunks(senders, 100, read);
    const idle = await usedMemory();
    const text = oneByteChunk.repeat(20_000);
    await Promise.all(senders.map(({ write }) => write(text)));
    await until(() => senders.every(({ received }) => received().startsWith('HTTP/1.1 400')));
    expect((await usedMemory()) - idle).toBeLessThan(engine);
    closeAll(senders);
  });

  test('is at most 12 MiB for 24 MiB of unfinished bodies, and another event is handled', async () => {
    const { receiver, read } = await countingReceiver(build);
    const senders = await openSenders(receiver.url, 32);
    await sendOneByteChunks(senders, 100, read);
    const idle = await usedMemory();
    const chunk = `40000\r\n${'x'.repeat(262_144)}\r\n`;
    for (let chunks = 0; chunks < 3; chunks += 1) {
      await Promise.all(senders.map(({ write }) => write(chunk)));
    }
    await until(() => receiver.reports.length > 0);
    expect((await usedMemory()) - idle).toBeLessThan(12 * mebibyte);
    expect(await post(receiver, JSON.stringify(vaultDeleted))).toEqual({ status: 200, text: 'OK' });
    expect(receiver.handled).toHaveLength(1);
    for (const report of receiver.reports) {
      expect(report).toMatchObject({ error: { code: 'overloaded' }, status: 500 });
    }
    closeAll(senders);
  });
});
