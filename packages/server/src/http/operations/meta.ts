import { contractDocument } from '../../contract/contract.ts';
import type { Shape } from '../../domain/shapes.ts';
import type { Handlers } from '../handlers.ts';
import { Serialised } from '../serialised.ts';

/** @param baseUrl where this server is reached */
export function metaOperations(baseUrl: () => string) {
  let latest:
    | { readonly url: string; readonly answer: Serialised<Shape<'OpenApiDocument'>> }
    | undefined;
  return {
    getOpenApiDocument() {
      const url = baseUrl();
      if (latest?.url !== url) {
        latest = { url, answer: new Serialised({ ...contractDocument, servers: [{ url }] }) };
      }
      return latest.answer;
    },
  } satisfies Partial<Handlers>;
}
