// A page whose service worker has the client.
import type { Job } from './worker.ts';

/** Registers the worker and returns what it replies. */
async function run(job: Job): Promise<unknown> {
  await navigator.serviceWorker.register('/worker.js');
  const { active } = await navigator.serviceWorker.ready;
  const { port1, port2 } = new MessageChannel();
  const reply = new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  active?.postMessage(job, [port2]);
  return reply;
}

Object.assign(window, { page: { run } });

/** The functions of the page for its test. */
export interface ServiceWorkerPage {
  readonly run: typeof run;
}
