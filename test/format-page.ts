import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Reads the first block of a language in a page of the client's documentation. */
export async function readBlock(page: string, language: string): Promise<string> {
  const text = await readFile(`packages/sdk/docs/${page}`, 'utf8');
  const found = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1];
  if (found === undefined) throw new Error(`docs/${page} has no ${language} block`);
  return found;
}

/** Runs a program in Python whose variable `input` has a value, and returns what it prints as JSON. */
export function runPython(program: string, input: unknown): unknown {
  const printed = execFileSync(
    'python3',
    ['-c', `import json, sys\ninput = json.load(sys.stdin)\n${program}`],
    {
      input: JSON.stringify(input),
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return JSON.parse(printed.toString());
}

/** Whether Python has the package `cryptography`. */
export function hasCryptography(): boolean {
  try {
    execFileSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
