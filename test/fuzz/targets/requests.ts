import fc from 'fast-check';
import { contractOperations } from '../../../packages/server/src/contract/contract.ts';
import { exampleBody, exampleBytes } from '../../../packages/server/test/support/request-fields.ts';
import { assertSound, deliver, requestBytes } from '../connection.ts';
import { pathInto, unreachable } from '../resources.ts';
import type { Target } from '../target.ts';
import { apply, type Edit, edit, hostileJson, hostileText } from '../values.ts';

// Requests of the contract with changed bodies, queries, paths and headers.

/** A change of one value of a body. */
interface Mutation {
  /** Which of the values, as a number that is taken modulo their count. */
  readonly place: number;
  readonly change:
    | { readonly kind: 'replace'; readonly json: string }
    | { readonly kind: 'remove' }
    | { readonly kind: 'rename'; readonly name: string }
    /** The property a second time. */
    | { readonly kind: 'repeat'; readonly json: string };
}

interface Input {
  readonly operation: string;
  readonly mutations: readonly Mutation[];
  readonly edits: readonly Edit[];
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  /** Value of every path parameter. Null: the ids of existing resources. */
  readonly segment: string | null;
}

const operations = new Map(
  contractOperations.map((operation) => [operation.id as string, operation]),
);

const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(1_000),
  change: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('replace' as const), json: hostileJson }),
    },
    fc.record({ kind: fc.constant('remove' as const) }),
    fc.record({ kind: fc.constant('rename' as const), name: hostileText }),
    fc.record({ kind: fc.constant('repeat' as const), json: hostileJson }),
  ),
});

const queryNames = [
  ...new Set(
    contractOperations.flatMap(({ parameters }) =>
      parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    ),
  ),
];

const query = fc.tuple(
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...queryNames) }, hostileText),
  fc.oneof(
    hostileText,
    fc.integer().map(String),
    fc.constantFrom('asc', 'name', 'true', '2026-01-01T00:00:00Z'),
  ),
);

const headerNames = [
  'Idempotency-Key',
  'Authorization',
  'X-Api-Key',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'Forwarded',
  'Range',
  'If-Range',
  'If-None-Match',
  'Content-Digest',
  'If-Modified-Since',
  'Accept',
  'Accept-Encoding',
  'Content-Type',
  'Origin',
  'Access-Control-Request-Method',
  'Cookie',
  'User-Agent',
  'X-Request-Id',
  'Host',
] as const;

const header = fc.tuple(
  fc.oneof({ weight: 8, arbitrary: fc.constantFrom<string>(...headerNames) }, hostileText),
  fc.oneof(
    hostileText,
    fc.constantFrom(
      'bytes=0-',
      'bytes=-1',
      'bytes=0-0,1-1,2-2',
      'bytes=99999999999999999999-',
      'W/"x"',
      '"x", "y"',
      '*',
      'Bearer ',
      'Bearer a.b.c',
      'Basic YTpi',
      '127.0.0.1, ::ffff:10.0.0.1, unknown',
      'application/json;q=0',
      'a'.repeat(15_000),
    ),
  ),
);

const inputs: fc.Arbitrary<Input> = fc.record({
  operation: fc.constantFrom(...operations.keys()),
  mutations: fc.array(mutation, { maxLength: 3 }),
  edits: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(edit, { maxLength: 3 })),
  query: fc.array(query, { maxLength: 3 }),
  headers: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(header, { maxLength: 3 })),
  segment: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, hostileText),
});

/** A JSON value whose parts can be replaced by text that is not JSON. */
type Tree = { text: string } | { members: [name: string | undefined, value: Tree][] };

function treeOf(value: unknown): Tree {
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value) ?? 'null' };
  if (Array.isArray(value)) return { members: value.map((member) => [undefined, treeOf(member)]) };
  return { members: Object.entries(value).map(([name, member]) => [name, treeOf(member)]) };
}

function textOf(tree: Tree): string {
  if ('text' in tree) return tree.text;
  const members = tree.members.map(([name, value]) =>
    name === undefined ? textOf(value) : `${JSON.stringify(name)}:${textOf(value)}`,
  );
  return tree.members.some(([name]) => name !== undefined)
    ? `{${members.join()}}`
    : `[${members.join()}]`;
}

function mutate(tree: Tree, { place, change }: Mutation): void {
  const places: { within: [string | undefined, Tree][]; at: number }[] = [];
  const visit = (node: Tree) => {
    if ('text' in node) return;
    for (const [at, [, value]] of node.members.entries()) {
      places.push({ within: node.members, at });
      visit(value);
    }
  };
  visit(tree);
  const chosen = places[place % Math.max(1, places.length)];
  const member = chosen?.within[chosen.at];
  if (!chosen || !member) return;
  if (change.kind === 'replace') member[1] = { text: change.json };
  else if (change.kind === 'remove') chosen.within.splice(chosen.at, 1);
  else if (change.kind === 'rename') member[0] = member[0] === undefined ? undefined : change.name;
  else chosen.within.push([member[0], { text: change.json }]);
}

function bodyOf(
  { operation: id, mutations, edits }: Input,
  ids: Readonly<Record<string, string>>,
): string {
  const operation = operations.get(id);
  if (!operation || operation.body === 'none') return '';
  if (operation.body === 'bytes') return apply(exampleBytes.toString(), edits);
  const example = exampleBody(operation);
  const tree = treeOf({
    ...example,
    ...('vaultId' in example && { vaultId: ids.vaults }),
    ...('url' in example && { url: unreachable }),
  });
  for (const change of mutations) mutate(tree, change);
  return withLocalUrls(apply(textOf(tree), edits));
}

/** No delivery of a webhook may leave this machine. */
function withLocalUrls(text: string): string {
  return text.replaceAll(/https?:\\?\/\\?\/(?!127\.0\.0\.1[:/"])[^"\\]*/g, unreachable);
}

function pathOf(
  { operation: id, query: pairs, segment }: Input,
  resources: Parameters<typeof pathInto>[0],
): string {
  const { path = '/' } = operations.get(id) ?? {};
  const filled =
    segment === null
      ? pathInto(resources, path, 'missing')
      : path.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(segment.toWellFormed()));
  const search = pairs.map((pair) =>
    pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='),
  );
  // Node's parser refuses longer targets.
  return (search.length === 0 ? filled : `${filled}?${search.join('&')}`).slice(0, 12_000);
}

export const requests: Target<Input> = {
  name: 'requests',
  weight: 6,
  inputs,
  async attempt(input, { subject, resources }) {
    const { method = 'get', body: kind } = operations.get(input.operation) ?? {};
    const type = kind === 'bytes' ? 'application/octet-stream' : 'application/json';
    const body = Buffer.from(bodyOf(input, resources.ids));
    const named = new Set(input.headers.map(([name]) => name.toLowerCase()));
    const headers: [string, string][] = [
      ['Connection', 'close'],
      ...(named.has('x-api-key') || named.has('authorization')
        ? []
        : [['X-Api-Key', subject.apiKey] as [string, string]]),
      ...(named.has('content-type') ? [] : [['Content-Type', type] as [string, string]]),
      ['Content-Length', String(body.length)],
      ...input.headers.map(([name, value]): [string, string] => [name, value]),
    ];
    const bytes = requestBytes(method.toUpperCase(), pathOf(input, resources), headers, body);
    // A header may announce a longer body than is sent.
    const ending = input.headers.length > 0 ? 'end' : 'wait';
    for (const response of await deliver(subject.port, { pieces: [bytes], ending })) {
      assertSound(response);
    }
    await subject.assertUnharmed(bytes.length);
  },
};
