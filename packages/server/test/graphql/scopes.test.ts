import { beforeEach, describe, expect, test } from 'vitest';
import { userScopes } from '../../src/domain/access.ts';
import { ask, dataOf, refusedWith } from '../support/graphql/asking.ts';
import {
  type Dress,
  documentFor,
  everyRoute,
  newHouse,
  plainly,
  type Route,
  scopesOf,
  unlisted,
} from '../support/graphql/every-field.ts';
import { newKey } from '../support/resources.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import type { World } from '../support/world.ts';

// Generated from the schema: every field that needs a scope, under the root and within every other field.

const queries = everyRoute('Query');
const changes = everyRoute('Mutation');

/** The ways to ask for a field, none of them a way around its scope. */
const dresses: readonly Dress[] = [
  plainly,
  // Under another name.
  ({ name, args, selection }) => ({ text: `other: ${name}${args}${selection}` }),
  // In fragments of either kind.
  ({ name, args, selection, type }) => ({
    text: `... on ${type} { ... { ${name}${args}${selection} } }`,
  }),
  ({ name, args, selection, type }) => ({
    text: '...a',
    fragments: `fragment b on ${type} { ${name}${args}${selection} } fragment a on ${type} { ...b }`,
  }),
  // Where variables include it, and where it is left out first.
  ({ name, args, selection }) => ({
    text: `${name}${args} @include(if: $yes) @skip(if: $no) ${selection}`,
    variables: '($yes: Boolean!, $no: Boolean = false)',
  }),
  ({ name, args, selection }) => ({
    text: `... @include(if: $no) { ${name}${args}${selection} } ... @skip(if: $no) { ${name}${args}${selection} }`,
    variables: '($no: Boolean = false)',
  }),
];

let server: TestServer;
let owner: Caller;
let world: World;

beforeEach(async () => {
  server = await startTestServer({
    enterpriseRequestsPerMinute: 100_000,
    enterpriseGraphqlPoints: 1_000_000,
  });
  owner = (await server.signUp('owner@example.com')).call;
  world = await newHouse(server, owner);
});

/** Keys by their scopes, each made once. */
function keys() {
  const made = new Map<string, Promise<Caller>>();
  return (scopes: readonly string[]): Promise<Caller> => {
    const name = scopes.toSorted().join(' ');
    const known = made.get(name) ?? newKey(owner, scopes).then(({ key }) => server.withKey(key));
    made.set(name, known);
    return known;
  };
}

const lastOf = (route: Route) => route.at(-1)?.scope ?? '';

test('every field tells the scope that it needs, or is known as a part of its object', () => {
  expect(unlisted()).toEqual([]);
  expect(queries.length).toBeGreaterThan(20);
  expect(changes.length).toBeGreaterThan(20);
});

describe('a field', () => {
  test('is refused without its scope, however it is asked for', async () => {
    const keyWith = keys();
    const before = await server.events();
    for (const route of [...queries, ...changes]) {
      const call = await keyWith(userScopes.filter((scope) => scope !== lastOf(route)));
      const details = { requiredScopes: [lastOf(route)] };
      for (const dress of dresses) {
        const query = documentFor(route, world, dress);
        const refused = await ask(call, query, { variables: { yes: true } });
        expect(refused, query).toMatchObject(refusedWith(403, 'INSUFFICIENT_PERMISSIONS', details));
        expect(refused.body, query).not.toHaveProperty('data');
      }
    }
    expect(await server.events()).toEqual(before);
  });

  test('is answered with its scope and those of the way to it alone', async () => {
    const keyWith = keys();
    for (const route of [...queries, ...changes]) {
      const call = await keyWith(scopesOf(route));
      await dataOf(call, documentFor(route, world));
    }
  });

  test('needs no scope where it is left out', async () => {
    const keyWith = keys();
    const leftOut: Dress = ({ name, args, selection }) => ({
      text: `__typename ${name}${args} @include(if: $no) ${selection} ... @skip(if: $yes) { ${name}${args}${selection} }`,
      variables: '($yes: Boolean!, $no: Boolean = false)',
    });
    for (const route of queries) {
      const others = route.slice(0, -1).flatMap(({ scope }) => scope ?? []);
      const call = await keyWith(others.length > 0 ? [...new Set(others)] : ['users:write']);
      await dataOf(call, documentFor(route, world, leftOut), { variables: { yes: true } });
    }
  });
});

test('every scope that is missing is named, with the field that needs it', async () => {
  const { key } = await newKey(owner, ['vaults:read', 'vaults:write']);
  const nested = 'documents { data { id mine: shares { data { id } } } }';
  const refused = await ask(
    server.withKey(key),
    `mutation { createVault(input: { name: "x" }) { id ${nested} } }`,
  );
  expect(refused.status).toBe(403);
  expect(refused.body.errors).toMatchObject([
    {
      path: ['createVault', 'documents'],
      locations: [{ line: 1 }],
      extensions: { details: { requiredScopes: ['documents:read'] } },
    },
    {
      path: ['createVault', 'documents', 'data', 'mine'],
      extensions: { details: { requiredScopes: ['documents:share'] } },
    },
  ]);
});
