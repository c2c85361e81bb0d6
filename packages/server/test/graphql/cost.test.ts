import fc from 'fast-check';
import { Kind, parse } from 'graphql';
import { expect, test } from 'vitest';
import {
  collectFields,
  maxNodes,
  nodesOf,
  pointsOf,
} from '../../src/graphql/operation-analysis.ts';

test('a query costs one point per 100 objects, and at least one', () => {
  const table = [
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [10_000, 100],
    [10_001, 101],
    [maxNodes, 5000],
  ] as const;
  for (const [nodes, points] of table) expect(pointsOf(nodes)).toBe(points);
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (nodes, more) => {
      expect(pointsOf(nodes) * 100).toBeGreaterThanOrEqual(nodes);
      expect(pointsOf(nodes + more)).toBeGreaterThanOrEqual(pointsOf(nodes));
      // Splitting a query never makes it cheaper.
      expect(pointsOf(nodes) + pointsOf(more)).toBeGreaterThanOrEqual(pointsOf(nodes + more));
    }),
  );
});

test('a mutation costs at least one point per change', () => {
  expect([pointsOf(0, 0), pointsOf(1, 1), pointsOf(3, 3), pointsOf(301, 3)]).toEqual([1, 1, 3, 4]);
});

test('an object counts once per 25 selected fields', () => {
  expect([0, 1, 25, 26, 50, 51, 1000].map(nodesOf)).toEqual([1, 1, 1, 2, 2, 3, 40]);
});

test('collectFields includes fields of fragments and omits skipped fields', () => {
  const document = parse(`query {
    a b: c
    ...f @include(if: $yes)
    ...g @skip(if: $yes)
    ... @include(if: $no) { never }
    ... { d @skip(if: $no) }
    ...f
    a
  }
  fragment f on T { e ...h a }
  fragment g on T { never }
  fragment h on T { i ...f }`);
  const { definitions } = document;
  const fragments = definitions.filter((part) => part.kind === Kind.FRAGMENT_DEFINITION);
  const operations = definitions.filter((part) => part.kind === Kind.OPERATION_DEFINITION);
  const fields = collectFields(
    operations.map(({ selectionSet }) => selectionSet),
    {
      fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
      variables: { yes: true, no: false },
    },
  );
  expect([...fields].map(([name, nodes]) => [name, nodes.length])).toEqual([
    ['a', 3],
    ['b', 1],
    ['e', 1],
    ['i', 1],
    ['d', 1],
  ]);
});
