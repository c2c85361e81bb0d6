import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

/**
 * Imports an entry in a process whose globals tell when they are read or replaced, uses it, and
 * prints what has happened.
 */
const program = (entry: string, use: string) => `
  import { registerHooks } from 'node:module';
  const touched = new Set(), packages = [];
  const language = new Set([
    'Error', 'Map', 'Number', 'Object', 'Promise', 'RegExp', 'Set', 'String', 'Symbol', 'globalThis',
  ]);
  // Additions to the language's own objects are touching too.
  const shape = () => Reflect.ownKeys(globalThis).flatMap((name) => {
    const { value } = Object.getOwnPropertyDescriptor(globalThis, name);
    const objects = typeof value === 'function' ? [value, value.prototype ?? {}] : [];
    return [name, ...objects.flatMap(Reflect.ownKeys)];
  });
  const tell = (name) => {
    const { configurable, value = globalThis[name] } = Object.getOwnPropertyDescriptor(globalThis, name);
    if (!configurable || language.has(name)) return;
    // Node reads globals too, where it takes the types out of a module.
    const note = () => /packages.(sdk|testing).src./.test(new Error().stack) && touched.add(String(name));
    const get = () => { note(); return value; };
    const set = note;
    Object.defineProperty(globalThis, name, { configurable: true, get, set });
  };
  for (const name of Reflect.ownKeys(globalThis)) tell(name);
  const before = shape();
  registerHooks({ resolve(name, context, next) {
    if (!name.startsWith('.')) packages.push(name);
    return next(name, context);
  } });
  const entry = await import('${entry}');
  ${use}
  const after = shape();
  const changed = after.length !== before.length || after.some((name, n) => name !== before[n]);
  process.stdout.write(JSON.stringify({ touched: [...touched], changed, packages }));
`;

interface Effects {
  touched: string[];
  changed: boolean;
  packages: string[];
}

async function importAlone(entry: string, use = ''): Promise<Effects> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@document-vault/source', '--input-type=module', '--eval', program(entry, use)],
    { cwd: import.meta.dirname },
  );
  return JSON.parse(stdout);
}

describe('guarantee 17, import: nothing is touched and nothing else is loaded', () => {
  test.each(
    ['', '/crypto', '/oauth-clients', '/share', '/stores', '/values'].map(
      (name) => `@document-vault/sdk${name}`,
    ),
  )('by %s', async (entry) => {
    expect(await importAlone(entry)).toEqual({ touched: [], changed: false, packages: [entry] });
  });

  test('by the test kit, beyond what Mock Service Worker does', async () => {
    expect((await importAlone('@document-vault/testing')).touched).toEqual([]);
  });

  test('and a client that is used shows that both would be noticed', async () => {
    const { touched, changed, packages } = await importAlone(
      '@document-vault/sdk/http',
      `globalThis.added = true;
       const options = { baseUrl: 'https://a.example', apiKey: 'k', fetch: async () => new Response('{}') };
       const { DocumentVault } = await import('@document-vault/sdk');
       await entry.createHttpClient(new DocumentVault(options)).GET('/api/v1/users/me');`,
    );
    expect(touched).toContain('AbortController');
    expect(changed).toBe(true);
    expect(packages).toEqual(['@document-vault/sdk/http', 'openapi-fetch', '@document-vault/sdk']);
  });
});
