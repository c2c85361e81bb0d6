import { buffer } from 'node:stream/consumers';

/** What a command has around it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was asked for; a line. */
  print(text: string): void;
  /** What went wrong; a line. */
  complain(text: string): void;
  /** All of standard input, byte for byte. */
  read(): Promise<Uint8Array>;
}

export const processTerminal: Terminal = {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  read: () => buffer(process.stdin),
};
