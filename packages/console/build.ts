import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build, defaultClientConditions, type Rolldown } from 'vite';
import { iconNames } from './src/components/icon-names.ts';

/** A file of the console with its compressed forms. */
export interface ConsoleFile {
  readonly body: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** The files by their paths below `/console/`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const root = fileURLToPath(new URL('./', import.meta.url));
const page = fileURLToPath(new URL('./index.html', import.meta.url));
const compressions = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Builds the console. Hashes in the names of its assets change with their contents. */
export async function buildConsole(): Promise<ConsoleFiles> {
  const icons = await iconSprite();
  const output = await bundle(icons.name);
  const files = [
    [icons.path, icons.text] as const,
    ...output.map((file) => [file.fileName, 'code' in file ? file.code : file.source] as const),
  ];
  return new Map(await Promise.all(files.map(compressed)));
}

async function compressed([path, source]: readonly [string, string | Uint8Array]) {
  const body = Buffer.from(source);
  const [br, gzipped] = await Promise.all([compressions.br(body), compressions.gzip(body)]);
  return [path, { body, br, gzip: gzipped }] as const;
}

/** Bundles the scripts and styles. `iconsFile` is the name of the sprite in `assets/`. */
export async function bundle(iconsFile: string): Promise<Rolldown.RolldownOutput['output']> {
  const result = await build({
    root,
    configFile: false,
    mode: 'production',
    logLevel: 'warn',
    // The server can be behind a path of a proxy.
    base: './',
    define: { ICONS_FILE: JSON.stringify(iconsFile) },
    resolve: { conditions: ['@document-vault/source', ...defaultClientConditions] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      write: false,
      minify: true,
      // The first with `light-dark()`: the console needs nothing newer.
      target: ['chrome123', 'firefox120', 'safari17.5'],
      // The policy of the page allows no `data:` URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: { groups: [startGroup()] } } },
      reportCompressedSize: false,
    },
  });
  if (Array.isArray(result) || !('output' in result)) throw new Error('Vite returned no bundle');
  return result.output;
}

/**
 * Puts all scripts of the start into one file. Without it, modules that screens use too are files of their own, and a
 * slow connection waits for each of them.
 */
function startGroup(): Rolldown.CodeSplittingGroup {
  const modules = new Set<string>();
  const add = (id: string, context: Rolldown.ChunkingContext) => {
    if (modules.has(id)) return;
    modules.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) add(imported, context);
  };
  return {
    debugName: 'start',
    name(id, context) {
      add(page, context);
      return modules.has(id) ? 'start' : null;
    },
  };
}

/** Makes one file of the icons that the console uses. */
async function iconSprite(): Promise<{ name: string; path: string; text: string }> {
  const { resolve } = createRequire(import.meta.url);
  const symbols = iconNames.map(async (name) => {
    const svg = await readFile(resolve(`lucide-static/icons/${name}.svg`), 'utf8');
    const shapes = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.indexOf('</svg>'));
    return `<symbol id="${name}" viewBox="0 0 24 24">${shapes.replace(/\s*\n\s*/g, '')}</symbol>`;
  });
  const text = `<svg xmlns="http://www.w3.org/2000/svg">${(await Promise.all(symbols)).join('')}</svg>\n`;
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const name = `icons-${hash}.svg`;
  return { name, path: `assets/${name}`, text };
}
