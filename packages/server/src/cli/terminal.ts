import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** What a command has around it. */
export interface Terminal {
  /** What was asked for; a line. */
  print(text: string): void;
  /** What went wrong; a line. */
  complain(text: string): void;
  /** Whether somebody is there to answer. */
  readonly isInteractive: boolean;
  /** All of standard input. */
  read(): Promise<string>;
  ask(question: string): Promise<string>;
}

export const processTerminal: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
  read: () => text(process.stdin),
  ask(question) {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    return new Promise((resolve) => {
      // Whoever goes away instead of answering has said nothing.
      lines.once('close', () => resolve(''));
      lines.question(question, (answer) => {
        resolve(answer);
        lines.close();
      });
    });
  },
};
