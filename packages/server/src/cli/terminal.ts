import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { User } from '../domain/accounts/users.ts';
import type { RowCounts } from '../store/maintenance/verification.ts';

/** Input and output of a command. */
export interface Terminal {
  /** Writes a line to standard output. */
  print(text: string): void;
  /** Writes a line to standard error. */
  printError(text: string): void;
  /** Whether standard input and output are a terminal, so that a person can be asked. */
  readonly isInteractive: boolean;
  /** Reads standard input to its end. */
  read(): Promise<string>;
  /** Asks a question and returns the line typed; the empty text when the input ends first. */
  ask(question: string): Promise<string>;
}

export const processTerminal: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
  read: () => text(process.stdin),
  ask(question) {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    return new Promise((resolve) => {
      lines.once('close', () => resolve(''));
      lines.question(question, (answer) => {
        resolve(answer);
        lines.close();
      });
    });
  },
};

/** Aligns rows under their headings, in columns as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((cells) => cells.map(printable));
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => lengthOf(cells[column] ?? ''))),
  );
  const aligned = lines.map((cells) =>
    cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell))),
  );
  return aligned.map((cells) => cells.join('  ').trimEnd()).join('\n');
}

function lengthOf(text: string): number {
  return [...text].length;
}

/**
 * Replaces control, format and line separator characters. Names come from users, and such characters
 * could move the cursor of an operator's terminal or reverse its line.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
}

/** Describes an account: address, id, role, tier and status. */
export function accountLine({ email, id, role, tier, status }: User): string {
  return `${printable(email)} (${id}): ${role}, ${tier}, ${status}`;
}

/** A number of things: `1 user`, `2 users`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Describes the rows of a database: `2 users, 3 vaults and 5 documents`. */
export function rowSummary(rows: RowCounts): string {
  const count = (table: string) => countOf(rows[table] ?? 0, table.slice(0, -1));
  return `${count('users')}, ${count('vaults')} and ${count('documents')}`;
}
