/** What a query costs, from the number of objects that it may answer. */

/** Nodes that one point pays for. */
const nodesPerPoint = 100;

/** Fields of one object that one node pays for: more than any type has, unless they are asked for again. */
const fieldsPerNode = 25;

/** Nodes that one query may answer, whatever its account may spend. */
export const mostNodes = 500_000;

/** Points of an operation that may answer so many nodes and makes so many changes: at least 1. */
export function pointsOf(nodes: number, changes = 0): number {
  return Math.max(1, Math.ceil(nodes / nodesPerPoint), changes);
}

/** What an object counts for that is asked for so many fields: 1 unless names are given to the same ones. */
export function nodesOf(fields: number): number {
  return Math.max(1, Math.ceil(fields / fieldsPerNode));
}

/** Items that a list which tells the schema may have, on average. */
export function itemsOfSchemaList(field: string, types: number): number {
  switch (field) {
    case 'types':
      return types;
    case 'fields':
    case 'inputFields':
    case 'enumValues':
    case 'directives':
      return 5;
    default:
      return 1;
  }
}
