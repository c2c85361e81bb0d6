import * as nodeCrypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createVerifier } from '../src/index.ts';
import { onWebCrypto, otherSecret, secret } from './support/builds.ts';
import { vaultDeleted } from './support/events.ts';
import { sign, standardHeaders } from './support/sign.ts';

vi.mock('node:crypto', { spy: true });

const body = JSON.stringify(vaultDeleted);
const options = { secrets: [secret, otherSecret] };
const forged = `hmac_sha256=${'0'.repeat(64)}`;
const signatures = [
  ['X-Service-Signature', sign(body, otherSecret)],
  ['webhook-signature', standardHeaders(body, { secret: otherSecret, id: vaultDeleted.id })],
] as const;

describe('the cryptography', () => {
  beforeEach(() => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(nodeCrypto as never);
    vi.clearAllMocks();
  });

  test.each(signatures)('compares %s with timingSafeEqual on Node', async (_, headers) => {
    const verifier = createVerifier(options);
    await verifier.verify(body, headers);
    const { calls } = vi.mocked(nodeCrypto.timingSafeEqual).mock;
    expect(calls).toHaveLength(2);
    for (const bytes of calls.flat()) expect(bytes).toHaveProperty('byteLength', 44);
  });

  test.each(signatures)('is Web Crypto where Node is not, for %s', async (_, headers) => {
    const signed = vi.spyOn(crypto.subtle, 'sign');
    const verifier = onWebCrypto(() => createVerifier(options));
    await verifier.verify(body, headers);
    expect(signed).toHaveBeenCalledTimes(2);
    expect(nodeCrypto.createHmac).not.toHaveBeenCalled();
    expect(nodeCrypto.timingSafeEqual).not.toHaveBeenCalled();
  });

  test('is Web Crypto on a Node without process.getBuiltinModule', async () => {
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
    const signed = vi.spyOn(crypto.subtle, 'sign');
    const verifier = createVerifier(options);
    vi.unstubAllGlobals();
    await expect(verifier.verify(body, forged)).rejects.toThrow('The secret is wrong');
    expect(signed).toHaveBeenCalledTimes(2);
  });

  test('is not used for a malformed signature', async () => {
    const verifier = createVerifier(options);
    await expect(verifier.verify(body, `${forged}0`)).rejects.toThrow();
    expect(nodeCrypto.createHmac).not.toHaveBeenCalled();
  });

  test('is imported by no file, so that every bundler can bundle the package', () => {
    for (const file of ['index.ts', 'testing.ts', 'adapters/koa.ts', 'adapters/fastify.ts']) {
      for (const reached of filesFrom(file)) expect(reached).not.toMatch(/^node:/);
    }
    for (const file of filesFrom('index.ts')) {
      const code = source(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect(code).not.toMatch(/\b(Buffer|require|global)\b/);
    }
  });
});

function source(file: string): string {
  return readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');
}

/** The file and all that it imports at run time, directly or not. */
function filesFrom(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  if (entry.startsWith('node:')) return seen;
  const imports = source(entry).matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm);
  for (const [, name = ''] of imports) {
    if (!name.startsWith('.')) seen.add(name);
    else filesFrom(new URL(name, `file:///${entry}`).pathname.slice(1), seen);
  }
  return seen;
}
