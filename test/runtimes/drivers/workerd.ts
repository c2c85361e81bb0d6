import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Driver, runLimitMs } from './process.ts';

/** Configures one worker that may send requests to this machine and has no modules of Node. */
const config = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "suite", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-11-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "suite")],
);
`;

/** Creates a driver that starts workerd and sends the environment to its worker, which runs the suite. */
export function workerdDriver(program: string, folder: string): Driver {
  return async (environment) => {
    await writeFile(`${folder}/workerd.capnp`, config);
    const args = ['serve', '--control-fd=3', `${folder}/workerd.capnp`];
    // Standard error is ignored: some cases cause errors on purpose, such as an unknown host name.
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    try {
      const port = await listeningPort(child.stdio[3] as Readable);
      const worker = `http://127.0.0.1:${port}`;
      const response = await fetch(worker, {
        method: 'POST',
        body: JSON.stringify({ ...environment, runtime: 'workerd', worker }),
        signal: AbortSignal.timeout(runLimitMs),
      });
      if (!response.ok) throw new Error(await response.text());
      return await response.json();
    } finally {
      const ended = once(child, 'close');
      if (child.kill('SIGKILL')) await ended;
    }
  };
}

/** Returns the port on which workerd listens. workerd reports one event per line. */
async function listeningPort(events: Readable): Promise<number> {
  for await (const line of createInterface(events)) {
    const { event, port } = JSON.parse(line);
    if (event === 'listen') return port;
  }
  throw new Error('workerd ended before it listened');
}
