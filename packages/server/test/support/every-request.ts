import { contractOperations, type Operation } from '../../src/contract/contract.ts';
import { pathWithIds, type ResourceIds } from './owned-resources.ts';
import { exampleBody, exampleBytes } from './request-fields.ts';
import type { Caller, Reply } from './server.ts';

export interface EveryRequest {
  readonly operation: Operation;
  /** The operation and the path, for messages. */
  readonly name: string;
  send(call: Caller, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

/** A valid request to every path of every operation of the contract, with the ids of these resources. */
export function everyRequest(resources: ResourceIds, instanceId: string): EveryRequest[] {
  return contractOperations.flatMap((operation) =>
    [operation.path, ...operation.aliases].map((template) => {
      const query = operation.id === 'searchVaults' ? '?search=owner' : '';
      const path = (pathOf(resources, operation, template) + query).replace('{id}', instanceId);
      const method = operation.method.toUpperCase();
      const body = bodyOf(resources, operation);
      return {
        operation,
        name: `${operation.id} ${template}`,
        send: (call: Caller, headers = {}) =>
          call(method, path, {
            ...(body !== undefined && { body }),
            headers: takesKey(operation)
              ? { 'idempotency-key': operation.id, ...headers }
              : headers,
          }),
      };
    }),
  );
}

function pathOf(resources: ResourceIds, operation: Operation, template: string): string {
  const { aliases, path } = operation;
  const canonical = pathWithIds(resources, operation) ?? path;
  if (!aliases.includes(template)) return canonical;
  // An alias has the same last segment as its path.
  return template.replace(/\{[^}]+\}/, canonical.slice(canonical.lastIndexOf('/') + 1));
}

function bodyOf(resources: ResourceIds, operation: Operation): unknown {
  if (operation.body === 'none') return undefined;
  if (operation.body === 'bytes') return exampleBytes;
  const body = exampleBody(operation);
  // The first keyring: later ones need a session.
  if (operation.id === 'updateKeyring') return { ...body, version: 1 };
  return 'vaultId' in body ? { ...body, vaultId: resources.vaultId } : body;
}

function takesKey({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'Idempotency-Key');
}
