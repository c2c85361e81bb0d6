import type { Shares } from '../../domain/documents/shares.ts';
import { asBase64 } from '../base64-answer.ts';
import type { Handlers } from '../handlers.ts';

export function shareOperations(shares: Shares) {
  return {
    shareDocument: ({ actor, path, body }) => shares.create(actor, path.id, body),
    listDocumentShares: ({ actor, path, query }) => shares.list(actor, path.id, query),
    revokeDocumentShare: ({ actor, path }) => shares.revoke(actor, path.id, path.shareId),
    openShare: async ({ visitor, path }) => asBase64(await shares.open(visitor, path.token)),
  } satisfies Partial<Handlers>;
}
