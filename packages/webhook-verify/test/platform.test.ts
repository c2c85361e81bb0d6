import * as nodeCrypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createVerifier as createNodeVerifier } from '../src/index.node.ts';
import { createVerifier as createWebVerifier } from '../src/index.ts';
import { sign } from '../src/sign.ts';
import { otherSecret, secret } from './support/builds.ts';
import { vaultDeleted } from './support/events.ts';

vi.mock('node:crypto', { spy: true });

const body = JSON.stringify(vaultDeleted);
const options = { secrets: [secret, otherSecret] };
const signature = sign(body, otherSecret);
const forged = `hmac_sha256=${'0'.repeat(64)}`;

describe('the comparison of signatures', () => {
  beforeEach(() => vi.clearAllMocks());

  test('uses timingSafeEqual over 32 bytes in the Node build', () => {
    const verifier = createNodeVerifier(options);
    verifier.verifySync(body, signature);
    expect(() => verifier.verifySync(body, forged)).toThrow('The secret is wrong');

    const { calls } = vi.mocked(nodeCrypto.timingSafeEqual).mock;
    expect(calls).toHaveLength(4);
    for (const bytes of calls.flat()) expect(bytes).toHaveProperty('byteLength', 32);
  });

  test('uses subtle.verify over 32 bytes in the Web Crypto build', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    const verifier = createWebVerifier(options);
    await verifier.verify(body, signature);
    await expect(verifier.verify(body, forged)).rejects.toThrow('The secret is wrong');

    expect(verify).toHaveBeenCalledTimes(4);
    for (const [, , bytes] of verify.mock.calls) expect(bytes).toHaveProperty('byteLength', 32);
    expect(nodeCrypto.createHmac).not.toHaveBeenCalled();
    expect(nodeCrypto.timingSafeEqual).not.toHaveBeenCalled();
  });

  test('does not run for a malformed signature', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify').mockClear();
    expect(() => createNodeVerifier(options).verifySync(body, `${signature}0`)).toThrow();
    await expect(createWebVerifier(options).verify(body, `${signature}0`)).rejects.toThrow();
    expect(nodeCrypto.createHmac).not.toHaveBeenCalled();
    expect(verify).not.toHaveBeenCalled();
  });
});

describe('the two builds', () => {
  test('have the same methods; the synchronous ones throw sync_unavailable without node:crypto', () => {
    const web = createWebVerifier(options);
    expect(Object.keys(web).toSorted()).toEqual(
      Object.keys(createNodeVerifier(options)).toSorted(),
    );
    for (const method of [web.verifySync, web.verifySignatureSync]) {
      expect(() => method(body, signature)).toThrow(
        expect.objectContaining({
          name: 'WebhookVerificationError',
          code: 'sync_unavailable',
          message: expect.stringContaining('await verify()'),
        }),
      );
    }
  });

  test.each([
    ['Node', ['node', 'import'], './dist/index.node.js'],
    ['Node with require', ['node', 'require'], './dist/index.node.cjs'],
    ['Bun', ['bun', 'node', 'import'], './dist/index.node.js'],
    ['Deno', ['deno', 'node', 'import'], './dist/index.node.js'],
    ['a Deno without the condition of Node', ['deno', 'import'], './dist/index.node.js'],
    ['Workers', ['workerd', 'worker', 'browser', 'import'], './dist/index.js'],
    ['a browser', ['browser', 'module', 'import'], './dist/index.js'],
    ['an edge runtime', ['edge-light', 'worker', 'import'], './dist/index.js'],
    ['a bundler of CommonJS', ['browser', 'require'], './dist/index.cjs'],
  ])('are selected by the conditions of %s', (_, conditions, file) => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(resolve(manifest.exports['.'], conditions)).toBe(file);
  });

  test('import node: modules in the Node build only', () => {
    expect([...specifiersFrom('index.node.ts')].filter(isOfNode)).toContain('node:crypto');
    expect([...specifiersFrom('index.ts')].filter((name) => !name.startsWith('./'))).toEqual([]);
    for (const file of filesFrom('index.ts')) {
      const code = source(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect(code).not.toMatch(/\b(Buffer|process|require|global)\b/);
    }
  });
});

type Target = string | { readonly [condition: string]: Target };

/** The first condition that applies, in the order of the manifest, as Node documents it. */
function resolve(target: Target, conditions: readonly string[]): string | undefined {
  if (typeof target === 'string') return target;
  for (const [condition, inner] of Object.entries(target)) {
    const applies = condition === 'default' || conditions.includes(condition);
    const found = applies ? resolve(inner, conditions) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function source(file: string): string {
  return readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');
}

function importsOf(file: string): string[] {
  return [...source(file).matchAll(/ from '([^']+)'/g)].map(([, name = '']) => name);
}

/** The file and all that it imports, directly or not. */
function filesFrom(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const name of importsOf(entry)) {
    if (name.startsWith('./')) filesFrom(name.slice(2), seen);
  }
  return seen;
}

function specifiersFrom(entry: string): Set<string> {
  return new Set([...filesFrom(entry)].flatMap(importsOf));
}

function isOfNode(name: string): boolean {
  return name.startsWith('node:');
}
