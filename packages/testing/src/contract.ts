import type { components, operations } from '@document-vault/sdk/http';
import { writtenId } from './generated/rules/ids.ts';
import type { Scope } from './generated/rules/scopes.ts';
import contract from './generated/test-contract.json' with { type: 'json' };

/** The name of an operation in the contract, such as `createVault`. */
export type OperationId = keyof operations;

/** A schema of the contract by its name. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name];

export type EventType = Shape<'EventType'>;

export type Method = 'get' | 'post' | 'put' | 'delete';
type SecurityScheme = 'apiKey' | 'bearer';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
}

/** The parts of an operation that the test kit uses. */
export interface Operation {
  readonly id: OperationId;
  readonly method: Method;
  /** Its path, then its aliases. */
  readonly paths: readonly [string, ...string[]];
  /** Accepted credentials with their scopes. No or an empty entry: credentials are optional. */
  readonly security: readonly Readonly<Partial<Record<SecurityScheme, readonly Scope[]>>>[];
  /** Only administrators may call it. */
  readonly role?: 'admin';
  readonly parameters: readonly Parameter[];
  /** JSON that is required or optional, bytes, or no body. */
  readonly body: 'none' | 'optional' | 'required' | 'bytes';
  /** The windows that its requests count in. Absent: the hour and the minute. */
  readonly rateLimit?: 'hour' | 'countAfterwards';
  /** Status of a success. */
  readonly status: number;
}

interface TestContract {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly operations: readonly Operation[];
  /** The data of each event in the contract's example. */
  readonly events: Readonly<Record<EventType, Record<string, unknown>>>;
}

/** The parts of the contract that the test kit uses. */
export const testContract = contract as unknown as TestContract;

/** A path of the contract with its operation. */
export interface Route {
  readonly method: Method;
  /** Path template, such as `/api/v1/vaults/{id}`. */
  readonly path: string;
  readonly operation: Operation;
}

/** Every path and alias. Literal paths come first, because the first match is used. */
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

/** Returns the methods of a path, in capitals; none for an unknown path. HEAD is served wherever GET is. */
export function methodsOf(path: string): string[] {
  return contractRoutes()
    .filter((route) => valuesIn(route, path))
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase()));
}

/** Returns the path parameters of a route; undefined for another path. */
export function valuesIn(route: Route, path: string): Record<string, string> | undefined {
  const pattern = route.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const found = new RegExp(`^${pattern}$`).exec(path);
  if (!found) return undefined;
  const values = Object.entries(found.groups ?? {});
  return Object.fromEntries(values.map(([name, value]) => [name, writtenId(decode(value))]));
}

/** Decodes a value. An invalid encoding stays as it is and matches no id. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}
