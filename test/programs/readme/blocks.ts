import { glob, readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';

/** A program of a README. */
export interface Program {
  /** Unique among all READMEs, such as `sdk-3.ts`. */
  readonly name: string;
  readonly code: string;
}

/** Returns the pages whose code is tested. */
export async function readmes(): Promise<string[]> {
  return Array.fromAsync(
    glob(['README.md', '{bench,examples,packages/*}/README.md', 'packages/*/docs/*.md']),
  );
}

/** Returns the code blocks of a page in one language, such as `sh`. */
export async function blocksOf(page: string, language: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map(([, block = '']) => block);
}

/**
 * Returns the TypeScript programs of a page. In the main README each block is a program. In others a
 * block continues the previous program, unless it imports a name that the program already imports.
 */
export async function programsOf(page: string): Promise<Program[]> {
  const programs: string[] = [];
  for (const block of await blocksOf(page, 'ts')) {
    const before = programs.at(-1) ?? '';
    const again = importsOf(block).some((name) => importsOf(before).includes(name));
    if (before === '' || again || page === 'README.md') programs.push(block);
    else programs[programs.length - 1] = `${before}\n${block}`;
  }
  const folder = dirname(resolve(page));
  const name =
    basename(folder) === 'docs'
      ? `${basename(dirname(folder))}-${basename(page, '.md')}`
      : basename(folder);
  return programs.map((code, index) => ({ name: `${name}-${index + 1}.ts`, code }));
}

/** Returns the names that a program imports. */
function importsOf(code: string): string[] {
  return [...code.matchAll(/^import (.*?) from /gms)].flatMap(([, clause = '']) =>
    clause.split(/[\s,{}]+/).filter((name) => name !== '' && name !== 'type'),
  );
}
