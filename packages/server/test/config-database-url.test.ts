import { describe, expect, test } from 'vitest';
import { loadConfig, resolveConfig } from '../src/config/config.ts';
import { problemsOf } from './support/config-problems.ts';

const load = (argv: string[], env: Record<string, string> = {}) => loadConfig({ argv, env });
const variable = 'DOCUMENT_VAULT_DATABASE_URL';

describe('the URL of a PostgreSQL database', () => {
  test.each([
    'postgres://user:secret@host:5432/vault',
    'postgresql://user:secret@host/vault?sslmode=require',
    'postgres:///vault?host=/var/run/postgresql',
  ])('the URL %s is accepted', (url) => {
    expect(load([], { [variable]: url }).databaseUrl).toBe(url);
    expect(resolveConfig({ databaseUrl: url }).databaseUrl).toBe(url);
  });

  test.each([
    ['another scheme', 'mysql://user:secret@host/vault'],
    ['no scheme', 'user:secret@host/vault'],
    ['no database', 'postgres://user:secret@host:5432'],
    ['an empty database', 'postgres://user:secret@host:5432/'],
    ['a port that is no number', 'postgres://user:secret@host:port/vault'],
  ])(
    'a URL with %s is rejected by the name of the variable and the rule, without the URL',
    (_, url) => {
      const problems = problemsOf(() => load([], { [variable]: url }));
      expect(problems).toEqual([
        expect.stringMatching(
          /^DOCUMENT_VAULT_DATABASE_URL: the value is not a URL such as `postgres:\/\/user:password@host:5432\/database`, or none$/,
        ),
      ]);
      expect(problems.join()).not.toContain('secret');
      expect(problemsOf(() => resolveConfig({ databaseUrl: url }))).toEqual([
        expect.stringMatching(/^databaseUrl: the value is not a URL such as `postgres:/),
      ]);
    },
  );

  test('a URL as the flag --database-url is rejected without repeating the URL', () => {
    const url = 'postgres://user:secret@host/vault';
    for (const argv of [['--database-url', url], [`--database-url=${url}`]]) {
      const problems = problemsOf(() => load(argv));
      expect(problems).toEqual([expect.stringContaining(`set ${variable} instead`)]);
      expect(problems.join()).not.toContain('secret');
    }
  });
});
