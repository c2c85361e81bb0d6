import { readdir, readFile } from 'node:fs/promises';

/**
 * Copies rules that packages share: none of them imports another one for them.
 *
 * @param rulesUrl - folder `openapi/rules/`
 * @param target - the `generated/` folder of a package, from the root
 * @param names - file names of the rules. @default all
 */
export async function sharedRules(rulesUrl: URL, target: string, names?: readonly string[]) {
  return Promise.all(
    (names ?? (await readdir(rulesUrl))).map(async (name) => {
      const source = await readFile(new URL(name, rulesUrl), 'utf8');
      const header = `// Generated from openapi/rules/${name} by \`npm run generate\`. Do not edit.`;
      return { path: `${target}/rules/${name}`, text: `${header}\n\n${source}` };
    }),
  );
}
