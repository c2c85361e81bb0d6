import contract from '../generated/contract.json' with { type: 'json' };
import type { operations } from '../generated/openapi.ts';

/** The operations that clients call. The contract's `on…` operations are the webhooks that the server sends. */
export type OperationId = Exclude<keyof operations, `on${string}`>;

export type Method = 'get' | 'post' | 'put' | 'delete';
export type SecurityScheme = 'apiKey' | 'bearer' | 'oauth2';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: { readonly $ref?: string; readonly type?: unknown };
}

/** One operation of the contract, with its parameters' references resolved. */
export interface Operation {
  readonly id: OperationId;
  readonly method: Method;
  readonly path: string;
  /** Other paths of the same operation. */
  readonly aliases: readonly string[];
  /** The accepted credentials, each with the scopes that it needs. */
  readonly schemes: ReadonlyMap<SecurityScheme, readonly string[]>;
  /** Whether the caller must be an administrator. */
  readonly administrators: boolean;
  /** Whether credentials are optional. */
  readonly anonymous: boolean;
  readonly parameters: readonly Parameter[];
  /** JSON that is required or optional, bytes, or no body. */
  readonly body: 'none' | 'optional' | 'required' | 'bytes';
  /** The windows that its requests count in; undefined: the hour and the minute. */
  readonly rateLimit: 'hour' | 'countAfterwards' | undefined;
  readonly successStatus: number;
  /** JSON pointer of the operation within the contract. */
  readonly pointer: string;
}

interface OperationObject {
  readonly operationId: OperationId;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly security: readonly Readonly<Partial<Record<SecurityScheme, readonly string[]>>>[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, unknown>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly 'x-required-role'?: 'admin';
  readonly 'x-rate-limit'?: 'hour' | 'countAfterwards';
}

interface Contract {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, OperationObject>>>>>;
  readonly 'x-path-aliases': Readonly<Record<string, string>>;
}

const methods: readonly Method[] = ['get', 'post', 'put', 'delete'];

/** The contract, `openapi/v1.json`. */
export const contractDocument = contract as unknown as Contract;

/** Resolves a JSON pointer (RFC 6901) within the contract; undefined when there is nothing. */
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
    body: bodyOf(operation),
    rateLimit: operation['x-rate-limit'],
    successStatus: Number(success),
    pointer: `#/paths/${path.replaceAll('/', '~1')}/${method}`,
  };
}

function bodyOf({ requestBody }: OperationObject): Operation['body'] {
  if (requestBody === undefined) return 'none';
  if (!('application/json' in requestBody.content)) return 'bytes';
  return requestBody.required === true ? 'required' : 'optional';
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

export function contractOperation(id: OperationId): Operation {
  const operation = contractOperations.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`the contract has no operation ${id}`);
  return operation;
}
