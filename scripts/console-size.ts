/**
 * Fails when the console downloads more than its limits: bytes, minified and gzipped, of the files that a browser gets.
 * A part of `npm run check:size`.
 */
import { basename, dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle } from '../packages/console/build.ts';

const kilobyte = 1000;
const limits = { script: 60 * kilobyte, styles: 10 * kilobyte, screen: 15 * kilobyte } as const;

const output = await bundle('icons.svg');
const chunks = new Map(
  output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
);

/** The file with those that it imports statically: a browser loads all of them before it runs one. */
function withImports(fileName: string, found = new Set<string>()): Set<string> {
  if (found.has(fileName)) return found;
  found.add(fileName);
  for (const imported of chunks.get(fileName)?.imports ?? []) withImports(imported, found);
  return found;
}

function sizeOf(source: string | Uint8Array): number {
  return gzipSync(source).length;
}

function sum(files: Iterable<string>): number {
  return [...files].reduce((total, file) => total + sizeOf(chunks.get(file)?.code ?? ''), 0);
}

const entry = [...chunks.values()].find(({ isEntry }) => isEntry);
if (!entry) throw new Error('Vite built no entry');
const initial = withImports(entry.fileName);
const styles = output.flatMap((file) =>
  file.type === 'asset' && file.fileName.endsWith('.css') ? [file.source] : [],
);
/** What the routes load. A screen can load dialogs later, which are not counted. */
const loadedByRoutes = [...initial].flatMap((file) => chunks.get(file)?.dynamicImports ?? []);
const screens = loadedByRoutes.flatMap((fileName) => {
  const { facadeModuleId } = chunks.get(fileName) ?? {};
  if (!facadeModuleId?.includes('/src/screens/')) return [];
  const name = `${basename(dirname(facadeModuleId))}/${basename(facadeModuleId, '.tsx')}`;
  const files = [...withImports(fileName)].filter((file) => !initial.has(file));
  return [[`screen ${name}`, sum(files), limits.screen] as const];
});
const sizes = [
  ['initial script', sum(initial), limits.script] as const,
  ['styles', styles.reduce((total, source) => total + sizeOf(source), 0), limits.styles] as const,
  ...screens,
];

for (const [name, size, limit] of sizes) {
  console.log(`console, ${name}: ${size} B of at most ${limit} B`);
  if (size <= limit) continue;
  console.error(`console, ${name}: ${size - limit} B too large`);
  process.exitCode = 1;
}
