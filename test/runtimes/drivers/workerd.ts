import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Driver, runLimitMs } from './process.ts';

/** One worker that may reach this machine, without Node's modules. */
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

/** A driver of workerd: the suite runs on a request. */
export function workerdDriver(program: string, folder: string): Driver {
  return async (world) => {
    await writeFile(`${folder}/workerd.capnp`, config);
    const args = ['serve', '--control-fd=3', `${folder}/workerd.capnp`];
    // What it complains about belongs to the cases: a name that does not resolve, say.
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    try {
      const port = await listeningPort(child.stdio[3] as Readable);
      const worker = `http://127.0.0.1:${port}`;
      const response = await fetch(worker, {
        method: 'POST',
        body: JSON.stringify({ ...world, runtime: 'workerd', worker }),
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

/** Reads on which port workerd listens; it tells one fact a line. */
async function listeningPort(facts: Readable): Promise<number> {
  for await (const line of createInterface(facts)) {
    const { event, port } = JSON.parse(line);
    if (event === 'listen') return port;
  }
  throw new Error('workerd does not listen');
}
