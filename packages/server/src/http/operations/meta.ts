import { contractDocument } from '../contract.ts';
import type { Handlers } from '../handlers.ts';

/** @param baseUrl where this server is reached */
export function metaOperations(baseUrl: () => string) {
  return {
    getOpenApiDocument: () => ({ ...contractDocument, servers: [{ url: baseUrl() }] }),
  } satisfies Partial<Handlers>;
}
