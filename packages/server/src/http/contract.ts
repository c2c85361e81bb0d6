import contract from '../generated/contract.json' with { type: 'json' };
import type { operations } from '../generated/openapi.ts';

/** The operations that callers use; the contract's `on…` operations are the webhooks we send. */
export type OperationId = Exclude<keyof operations, `on${string}`>;

export type Method = 'get' | 'post' | 'put' | 'delete';
export type SecurityScheme = 'apiKey' | 'bearer';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: { readonly $ref?: string };
}

/** One operation as the contract has it, with its references resolved as far as the server needs. */
export interface Operation {
  readonly id: OperationId;
  readonly method: Method;
  readonly path: string;
  /** Other paths that lead to it. */
  readonly aliases: readonly string[];
  /** Which credentials it takes, with the scopes that they need. */
  readonly schemes: ReadonlyMap<SecurityScheme, readonly string[]>;
  /** Whether only administrators may call it. */
  readonly administrators: boolean;
  /** Whether it may be called without credentials. */
  readonly anonymous: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: 'none' | 'optional' | 'required';
  readonly successStatus: number;
  /** JSON pointer of the operation within the contract. */
  readonly pointer: string;
}

interface OperationObject {
  readonly operationId: OperationId;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly security: readonly Readonly<Partial<Record<SecurityScheme, readonly string[]>>>[];
  readonly requestBody?: { readonly required?: boolean };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly 'x-required-role'?: 'admin';
}

interface Contract {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, OperationObject>>>>>;
  readonly 'x-path-aliases': Readonly<Record<string, string>>;
}

const methods: readonly Method[] = ['get', 'post', 'put', 'delete'];

/** The contract as it is written in `openapi/v1.json`. */
export const contractDocument = contract as unknown as Contract;

/** What a JSON pointer (RFC 6901) refers to within the contract. */
export function resolvePointer(pointer: string): unknown {
  let target: unknown = contractDocument;
  for (const segment of pointer.replace(/^#?\//, '').split('/')) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    target = (target as Readonly<Record<string, unknown>> | undefined)?.[key];
  }
  return target;
}

function toOperation(path: string, method: Method, operation: OperationObject): Operation {
  const success = Object.keys(operation.responses).find((status) => status.startsWith('2'));
  const required = operation.requestBody?.required === true;
  return {
    id: operation.operationId,
    method,
    path,
    aliases: Object.entries(contractDocument['x-path-aliases'])
      .filter(([, canonical]) => canonical === path)
      .map(([alias]) => alias),
    schemes: new Map(
      operation.security.flatMap((requirement) => Object.entries(requirement)) as [
        SecurityScheme,
        readonly string[],
      ][],
    ),
    administrators: operation['x-required-role'] === 'admin',
    anonymous:
      operation.security.length === 0 ||
      operation.security.some((requirement) => Object.keys(requirement).length === 0),
    parameters: (operation.parameters ?? []).map((parameter) =>
      '$ref' in parameter ? (resolvePointer(parameter.$ref) as Parameter) : parameter,
    ),
    body: operation.requestBody === undefined ? 'none' : required ? 'required' : 'optional',
    successStatus: Number(success),
    pointer: `#/paths/${path.replaceAll('/', '~1')}/${method}`,
  };
}

/** Every operation of the contract. */
export const contractOperations: readonly Operation[] = Object.entries(
  contractDocument.paths,
).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method];
    return operation ? [toOperation(path, method, operation)] : [];
  }),
);
