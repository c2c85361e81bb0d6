/**
 * Sends small requests one after the other until a message stops it, and reports how long each waited. They come
 * from another address than the attacks.
 */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, headers } = workerData as { url: string; headers: Record<string, string> };
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const waits: number[] = [];
let running = true;
parentPort?.once('message', () => {
  running = false;
});
parentPort?.postMessage('ready');
while (running) {
  const began = performance.now();
  const [response] = await once(
    get(url, { agent, headers, localAddress: '127.0.0.2' }),
    'response',
  );
  response.resume();
  await once(response, 'end');
  waits.push(performance.now() - began);
  // Room for the word to stop. With 5 ms, these requests were a fifth of the processor time of an upload beside them.
  await new Promise((resolve) => setTimeout(resolve, 20));
}
parentPort?.postMessage(waits);
agent.destroy();
