import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { UploadReport, UploadTask } from './upload-task.ts';

const program = fileURLToPath(new URL('./upload-child.ts', import.meta.url));

/** How an uploading process ended; undefined: it was killed. */
export type UploadOutcome = Exclude<UploadReport, 'began'> | undefined;

/** A process that uploads a document. */
export interface Uploader {
  /** Resolves when it has stored its first checkpoint, or has ended. */
  readonly began: Promise<unknown>;
  readonly outcome: Promise<UploadOutcome>;
  /** Ends it in the middle of its work. */
  kill(): Promise<UploadOutcome>;
}

export function startUploader(task: UploadTask): Uploader {
  const child = fork(program, [JSON.stringify(task)], {
    execArgv: ['--conditions=@document-vault/source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let last: UploadOutcome;
  let complaints = '';
  child.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  const began = new Promise<void>((resolve) => {
    child.on('message', (report: UploadReport) => {
      if (report === 'began') resolve();
      else last = report;
    });
  });
  const outcome = once(child, 'close').then(() => {
    if (complaints !== '') throw new Error(`the uploader complained: ${complaints}`);
    return last;
  });
  return {
    began: Promise.race([began, outcome]),
    outcome,
    kill() {
      child.kill('SIGKILL');
      return outcome;
    },
  };
}
