import { AuthenticationError, DocumentVault, UsageError } from '@document-vault/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { apiKey, baseUrl, rejection } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const clock = new JumpingClock();

/** Rejects every token except one. */
function tokenService(valid: () => string) {
  return scriptedFetch(({ headers }) =>
    headers.authorization === `Bearer ${valid()}` ? json(vaultBody) : failure(401, 'EXPIRED_TOKEN'),
  );
}

describe('guarantee 7, credentials from the environment', () => {
  test('new DocumentVault() reads VAULT_URL and VAULT_API_KEY', async () => {
    vi.stubEnv('VAULT_URL', 'https://of-the-environment.example');
    vi.stubEnv('VAULT_API_KEY', apiKey);
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    vi.stubGlobal('fetch', fetch);
    await new DocumentVault().vaults.get('1');
    expect(sent[0]?.url).toMatch(/^https:\/\/of-the-environment\.example\//);
    expect(sent[0]?.headers).toMatchObject({ 'x-api-key': apiKey });
  });

  test('options win over the environment', async () => {
    vi.stubEnv('VAULT_URL', 'https://of-the-environment.example');
    vi.stubEnv('VAULT_API_KEY', 'service_sk_other');
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    await new DocumentVault({ baseUrl, apiKey, fetch }).vaults.get('1');
    await new DocumentVault({ baseUrl, accessToken: () => 'token', fetch }).vaults.get('1');
    expect(sent[0]?.url).toContain(baseUrl);
    expect(sent.map(({ headers }) => headers['x-api-key'])).toEqual([apiKey, undefined]);
    const session = new DocumentVault({ baseUrl, session: {} });
    expect(await session.auth.session()).toBeUndefined();
  });

  test('a browser reads no environment', () => {
    vi.stubEnv('VAULT_URL', baseUrl);
    vi.stubEnv('VAULT_API_KEY', apiKey);
    vi.stubGlobal('document', {});
    expect(() => new DocumentVault()).toThrow('baseUrl is missing');
    expect(() => new DocumentVault({ baseUrl })).toThrow('No credentials');
  });

  test('an environment that throws, as in Deno without permission, is empty', () => {
    const refuse = () => {
      throw new Error('NotCapable');
    };
    vi.stubGlobal('process', Object.defineProperty({}, 'env', { get: refuse }));
    expect(() => new DocumentVault({ baseUrl })).toThrow('No credentials');
  });

  test('no credentials, or an undefined apiKey, is a UsageError that names the choices', () => {
    for (const create of [
      () => new DocumentVault({ baseUrl }),
      () => new DocumentVault({ baseUrl, apiKey: undefined }),
    ]) {
      expect(create).toThrow(UsageError);
      expect(create).toThrow(
        'No credentials: pass apiKey (or set VAULT_API_KEY), accessToken, or session: {} to log in',
      );
    }
    expect(() => new DocumentVault({ apiKey })).toThrow(
      'baseUrl is missing: pass it, or set VAULT_URL',
    );
  });

  test('two kinds of credentials are a UsageError', () => {
    const accessToken = () => 'token';
    for (const options of [
      { apiKey, accessToken },
      { accessToken, session: {} },
    ])
      expect(() => new DocumentVault({ baseUrl, ...options })).toThrow('cannot be combined');
    const text = { baseUrl, accessToken: 'token' as never };
    expect(() => new DocumentVault(text)).toThrow('accessToken must be a function');
  });
});

describe('guarantee 7, credentials of a function', () => {
  test('apiKey is asked for before each attempt', async () => {
    const { fetch, sent } = scriptedFetch(
      () => new Response('', { status: 503 }),
      () => json(vaultBody),
    );
    let count = 0;
    const client = new DocumentVault({
      baseUrl,
      fetch,
      clock,
      apiKey: async () => `key-${++count}`,
    });
    await client.vaults.get('1');
    expect(sent.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-2']);
  });

  test('a function that returns no credential rejects with a UsageError that does not quote it', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const clients = [
      new DocumentVault({ baseUrl, fetch, apiKey: () => 'a secret' }),
      new DocumentVault({ baseUrl, fetch, accessToken: () => undefined as never }),
    ];
    for (const client of clients) {
      const error = await rejection(client.vaults.get('1'));
      expect(error).toBeInstanceOf(UsageError);
      expect(String(error)).not.toContain('a secret');
    }
    expect(sent).toEqual([]);
  });

  test('accessToken is asked for once, and once more for 100 calls with a rejected token', async () => {
    let valid = 'token-1';
    const { fetch, sent } = tokenService(() => valid);
    const accessToken = vi.fn(async () => {
      await new Promise(setImmediate);
      return valid;
    });
    const client = new DocumentVault({ baseUrl, fetch, clock, accessToken });
    const callAll = () => Promise.all(Array.from({ length: 100 }, () => client.vaults.get('1')));
    await callAll();
    expect(accessToken).toHaveBeenCalledTimes(1);
    valid = 'token-2';
    await callAll();
    expect(accessToken).toHaveBeenCalledTimes(2);
    expect(sent).toHaveLength(300);
  });

  test('a token that is rejected twice is an AuthenticationError', async () => {
    const { fetch, sent } = tokenService(() => 'none');
    const accessToken = vi.fn(() => 'token');
    const client = new DocumentVault({ baseUrl, fetch, clock, accessToken });
    expect(await rejection(client.vaults.get('1'))).toBeInstanceOf(AuthenticationError);
    expect(accessToken).toHaveBeenCalledTimes(2);
    expect(sent).toHaveLength(2);
  });

  test('an accessToken that fails rejects the call, and the next call asks again', async () => {
    const { fetch } = tokenService(() => 'token');
    const accessToken = vi
      .fn()
      .mockRejectedValueOnce(new Error('no network'))
      .mockReturnValue('token');
    const client = new DocumentVault({ baseUrl, fetch, clock, accessToken });
    expect(await rejection(client.vaults.get('1'))).toMatchObject({ name: 'VaultError' });
    await client.vaults.get('1');
  });

  test('auth.login of a client with accessToken rejects with a UsageError', async () => {
    const client = new DocumentVault({ baseUrl, accessToken: () => 'token' });
    const login = client.auth.login({ email: 'a@example.com', password: 'secret' });
    expect(String(await rejection(login))).toContain('pass session: {} to log in');
  });
});
