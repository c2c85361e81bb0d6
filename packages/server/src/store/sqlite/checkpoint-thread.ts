// The thread of `Checkpointer`: one checkpoint per message, and a message when it has ended.
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointOutcome, CheckpointTask } from './checkpointer.ts';
import { Connection } from './connection.ts';

const { file, options } = workerData as CheckpointTask;
let connection: Connection | undefined;

function checkpoint(): CheckpointOutcome {
  try {
    // Here, so that a failure keeps the code of SQLite. The error of a thread loses its class.
    connection ??= new Connection(file, options);
    connection.all('PRAGMA wal_checkpoint(PASSIVE)');
    return {};
  } catch (error) {
    const { message, code } = error as Error & { readonly code?: string };
    return { failure: { message, code: code ?? '' } };
  }
}

parentPort?.on('message', (message: 'checkpoint' | 'close') => {
  if (message === 'checkpoint') {
    parentPort?.postMessage(checkpoint());
  } else {
    connection?.close();
    parentPort?.close();
  }
});
