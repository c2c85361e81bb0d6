import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Returns a script or a style for browsers as one text, with everything that it imports. */
export async function browserBundle(entry: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // The first with `light-dark()` in styles: the pages need nothing newer.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    conditions: ['@document-vault/source'],
  });
  return outputFiles[0]?.text.trim() ?? '';
}
