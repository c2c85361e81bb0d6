import { beforeEach, describe, expect, test } from 'vitest';
import { userScopes } from '../../src/domain/access.ts';
import { ask, dataOf, refusedWith } from '../support/graphql/asking.ts';
import {
  createWithWaitingDelivery,
  documentFor,
  everyRoute,
  type FieldForm,
  plain,
  type Route,
  scopesOf,
  unlisted,
} from '../support/graphql/every-field.ts';
import type { ResourceIds } from '../support/owned-resources.ts';
import { newKey } from '../support/resources.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

// Generated from the schema: every field that requires a scope, at the root and inside every other field.

const queries = everyRoute('Query');
const changes = everyRoute('Mutation');

/** Forms of a selection. None avoids the check of the scope. */
const forms: readonly FieldForm[] = [
  plain,
  // With an alias.
  ({ name, args, selection }) => ({ text: `other: ${name}${args}${selection}` }),
  // In inline fragments and in named ones.
  ({ name, args, selection, type }) => ({
    text: `... on ${type} { ... { ${name}${args}${selection} } }`,
  }),
  ({ name, args, selection, type }) => ({
    text: '...a',
    fragments: `fragment b on ${type} { ${name}${args}${selection} } fragment a on ${type} { ...b }`,
  }),
  // With directives, and after a skipped selection.
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
let resources: ResourceIds;

beforeEach(async () => {
  server = await startTestServer({
    requestsPerMinute: { enterprise: 100_000 },
    graphqlPoints: { enterprise: 1_000_000 },
  });
  owner = (await server.signUp('owner@example.com')).call;
  resources = await createWithWaitingDelivery(server, owner);
});

/** Returns callers by their scopes; each key is created once. */
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

test('every field has a required scope or is listed as a part of its object', () => {
  expect(unlisted()).toEqual([]);
  expect(queries.length).toBeGreaterThan(20);
  expect(changes.length).toBeGreaterThan(20);
});

describe('scope of a field', () => {
  test('without it, every form of the selection returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const keyWith = keys();
    const before = await server.events();
    for (const route of [...queries, ...changes]) {
      const call = await keyWith(userScopes.filter((scope) => scope !== lastOf(route)));
      const details = { requiredScopes: [lastOf(route)] };
      for (const form of forms) {
        const query = documentFor(route, resources, form);
        const refused = await ask(call, query, { variables: { yes: true } });
        expect(refused, query).toMatchObject(refusedWith(403, 'INSUFFICIENT_PERMISSIONS', details));
        expect(refused.body, query).not.toHaveProperty('data');
      }
    }
    expect(await server.events()).toEqual(before);
  });

  test('a key with it and the scopes of the parent fields gets the data', async () => {
    const keyWith = keys();
    for (const route of [...queries, ...changes]) {
      const call = await keyWith(scopesOf(route));
      await dataOf(call, documentFor(route, resources));
    }
  });

  test('a field that is skipped requires no scope', async () => {
    const keyWith = keys();
    const leftOut: FieldForm = ({ name, args, selection }) => ({
      text: `__typename ${name}${args} @include(if: $no) ${selection} ... @skip(if: $yes) { ${name}${args}${selection} }`,
      variables: '($yes: Boolean!, $no: Boolean = false)',
    });
    for (const route of queries) {
      const others = route.slice(0, -1).flatMap(({ scope }) => scope ?? []);
      const call = await keyWith(others.length > 0 ? [...new Set(others)] : ['users:write']);
      await dataOf(call, documentFor(route, resources, leftOut), { variables: { yes: true } });
    }
  });
});

test('the errors list every missing scope with the path of its field', async () => {
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
