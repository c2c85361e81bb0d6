/**
 * A tab whose memory can be measured. Playwright enables the domain Network of the DevTools protocol, with which
 * Chromium keeps the body of every request. So this tab has a browser of its own, and uses the protocol itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { chromiumArgs, findChromium } from './chromium.ts';

/** Memory of its own that a process has: heaps and shared memory, without code and files. In bytes. */
export interface TabMemory {
  /** The process that runs the page and its service worker. */
  readonly tab: number;
  /** The process that the tabs share. */
  readonly browser: number;
}

export interface Tab {
  goto(url: string): Promise<void>;
  /** Runs a function in the page. Its arguments and its result are JSON. */
  evaluate<Args extends readonly unknown[], Result>(
    work: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>>;
  /** Resolves when the function returns true in the page. */
  until<Args extends readonly unknown[]>(
    condition: (...args: Args) => boolean,
    ...args: Args
  ): Promise<void>;
  /** Chooses a file from disk in an input. */
  choose(selector: string, path: string): Promise<void>;
  memory(): Promise<TabMemory>;
  close(): Promise<void>;
}

/** Opens a tab in a new browser. */
export async function openTab(): Promise<Tab> {
  const profile = await mkdtemp(join(tmpdir(), 'document-vault-tab-'));
  const options = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`];
  const browser = spawn(
    findChromium() ?? 'chromium',
    [...chromiumArgs, ...options, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const protocol = await connect(await debuggerUrl(browser.stderr));
  const { targetId } = await protocol.send('Target.createTarget', { url: 'about:blank' });
  const attached = await protocol.send('Target.attachToTarget', { targetId, flatten: true });
  const send: Send = (method, params) => protocol.send(method, params, attached.sessionId);
  const evaluate: Tab['evaluate'] = async (work, ...args) => {
    const expression = `(${work})(...${JSON.stringify(args)})`;
    const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, exceptionDetails } = await send('Runtime.evaluate', options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
    return result.value;
  };
  const until: Tab['until'] = async (condition, ...args) => {
    while (!(await evaluate(condition, ...args))) await delay(50);
  };
  return {
    evaluate,
    until,
    async goto(url) {
      await send('Page.navigate', { url });
      await until(
        (href) => location.href === href && document.readyState === 'complete',
        new URL(url).href,
      );
    },
    async choose(selector, path) {
      const { root } = await send('DOM.getDocument');
      const { nodeId } = await send('DOM.querySelector', { nodeId: root.nodeId, selector });
      await send('DOM.setFileInputFiles', { nodeId, files: [path] });
    },
    async memory() {
      const { processInfo } = await protocol.send('SystemInfo.getProcessInfo');
      const largest = (kind: string) =>
        Math.max(
          0,
          ...processInfo
            .filter(({ type }: ProcessInfo) => type === kind)
            .map(({ id }: ProcessInfo) => ownBytes(id)),
        );
      return { tab: largest('renderer'), browser: largest('browser') };
    },
    async close() {
      const ended = once(browser, 'close');
      await protocol.send('Browser.close');
      await ended;
      await rm(profile, { recursive: true, force: true });
    },
  };
}

interface ProcessInfo {
  readonly type: string;
  readonly id: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the results of the protocol, which playwright-core types too widely
type Send = (method: string, params?: object, sessionId?: string) => Promise<any>;

async function debuggerUrl(log: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: log })) {
    const [, url] = /^DevTools listening on (ws:.*)$/.exec(line) ?? [];
    // Read on: a full pipe would stop the browser.
    if (url) return log.resume() && url;
  }
  throw new Error('Chromium did not start');
}

async function connect(url: string): Promise<{ send: Send }> {
  const socket = new WebSocket(url);
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    const call = pending.get(id);
    pending.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  });
  await once(socket, 'open');
  let lastId = 0;
  return {
    send(method, params = {}, sessionId) {
      const call = Promise.withResolvers<unknown>();
      pending.set(++lastId, call);
      socket.send(JSON.stringify({ id: lastId, method, params, sessionId }));
      return call.promise;
    },
  };
}

/** proc(5): anonymous and shared memory in `/proc/PID/status`, which has kilobytes of 1024 bytes. */
function ownBytes(pid: number): number {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    // It has ended since it was listed.
    return 0;
  }
  const sizeOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return (sizeOf('RssAnon') + sizeOf('RssShmem')) * 1024;
}
