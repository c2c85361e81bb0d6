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
 * Returns the TypeScript programs of a page. In the main README each block is a program. In others a block continues
 * the previous program, unless it declares a name that the program declares. What it imports again is left out.
 */
export async function programsOf(page: string): Promise<Program[]> {
  const programs: string[] = [];
  for (const block of await blocksOf(page, 'ts')) {
    const before = programs.at(-1) ?? '';
    const again = declaredIn(block).some((name) => declaredIn(before).includes(name));
    if (before === '' || again || page === 'README.md') programs.push(block);
    else programs[programs.length - 1] = `${before}\n${withoutImports(block, before)}`;
  }
  const folder = dirname(resolve(page));
  const name =
    basename(folder) === 'docs'
      ? `${basename(dirname(folder))}-${basename(page, '.md')}`
      : basename(folder);
  return programs.map((code, index) => ({ name: `${name}-${index + 1}.ts`, code }));
}

/** Returns the variables, functions and classes at the top level of a program. */
function declaredIn(code: string): string[] {
  const declarations = code.matchAll(
    /^(?:export )?(?:async )?(?:const|let|function|class) (?:[{[](.*?)[}\]]|(\w+))/gms,
  );
  return [...declarations].flatMap(([, pattern, name]) => (name ? [name] : namesIn(pattern ?? '')));
}

/** The named imports of a program. */
const imports = /^import \{(.*?)\} from ('.*?');\n/gms;

/** Returns a block without the imports that a program has. */
function withoutImports(block: string, program: string): string {
  return block.replaceAll(imports, (_, list: string, module: string) => {
    const known = [...program.matchAll(imports)]
      .filter(([, , from]) => from === module)
      .flatMap(([, names = '']) => namesIn(names));
    const others = namesIn(list).filter((name) => !known.includes(name));
    return others.length > 0 ? `import { ${others.join(', ')} } from ${module};\n` : '';
  });
}

/** Returns the names of a list, those of types with `type`. */
function namesIn(list: string): string[] {
  const names = list.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}
