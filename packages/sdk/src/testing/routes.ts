import { type Method, type Operation, testContract } from './contract.ts';

/** A path of the contract, with the operation that it leads to. */
export interface Route {
  readonly method: Method;
  /** As the contract writes it: `/api/v1/vaults/{id}`. */
  readonly path: string;
  readonly operation: Operation;
}

/** Every path and alias, what is written out before what has a value: the first that fits is meant. */
export function contractRoutes(): Route[] {
  return testContract.operations
    .flatMap((operation) =>
      operation.paths.map((path) => ({ method: operation.method, path, operation })),
    )
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function rank({ path }: Route): string {
  return path.replaceAll(/\{\w+\}/g, '\uffff');
}

/** The values that a path has in the places of a route's names; undefined: it is another path. */
export function valuesIn(route: Route, path: string): Record<string, string> | undefined {
  const pattern = route.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const found = new RegExp(`^${pattern}$`).exec(path);
  if (!found) return undefined;
  const values = Object.entries(found.groups ?? {});
  return Object.fromEntries(values.map(([name, value]) => [name, decode(value)]));
}

/** A value that is encoded wrongly is none that anything has. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}
