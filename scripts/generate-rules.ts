import { readdir, readFile } from 'node:fs/promises';

/**
 * Copies the rules that the server and the SDK's test kit share: neither package imports the other.
 *
 * @param rulesUrl - folder `openapi/rules/`
 * @param target - the `generated/` folder of a package, from the root
 */
export async function sharedRules(rulesUrl: URL, target: string) {
  const names = await readdir(rulesUrl);
  return Promise.all(
    names.map(async (name) => {
      const source = await readFile(new URL(name, rulesUrl), 'utf8');
      const header = `// Generated from openapi/rules/${name} by \`npm run generate\`. Do not edit.`;
      return { path: `${target}/rules/${name}`, text: `${header}\n\n${source}` };
    }),
  );
}
