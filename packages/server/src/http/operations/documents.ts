import type { Documents } from '../../domain/documents/documents.ts';
import { asBase64 } from '../base64-answer.ts';
import type { Handlers } from '../handlers.ts';

export function documentOperations(documents: Documents) {
  return {
    listDocuments: ({ actor, query }) => documents.list(actor, query),
    createDocument: ({ actor, body, content }) => documents.create(actor, body, content),
    getDocument: async ({ actor, path }) => asBase64(await documents.get(actor, path.id)),
    updateDocument: ({ actor, path, body }) => documents.update(actor, path.id, body),
    deleteDocument: ({ actor, path }) => documents.remove(actor, path.id),
  } satisfies Partial<Handlers>;
}
