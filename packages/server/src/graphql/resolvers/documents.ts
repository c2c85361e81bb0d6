import type { Document, DocumentQuery } from '../../domain/documents/documents.ts';
import type { ListQuery } from '../../domain/pages.ts';
import type { Shape } from '../../domain/shapes.ts';
import type { Resolvers } from '../call.ts';
import type { ById, Change } from './arguments.ts';

type Encryption = Document['encryptionMetadata'];

export const documentResolvers = {
  Query: {
    documents: (_, query: DocumentQuery, { services, actor, loaders }) =>
      loaders.list(() => services.documents.list(actor, query)),
    document: (_, { id }: ById, { services, actor }) => services.documents.describe(actor, id),
  },
  Mutation: {
    updateDocument: (_, { id, input }: Change<Shape<'UpdateDocument'>>, { services, actor }) =>
      services.documents.update(actor, id, input),
  },
  Document: {
    vault: ({ vaultId }: Document, _, { loaders }) => loaders.vault(vaultId),
    shares: ({ id }: Document, query: ListQuery<'createdAt' | 'expiresAt'>, { loaders }) =>
      loaders.sharesOf(id, query),
  },
  EncryptionMetadata: {
    // The contract knows no largest number; what is none that is safe stands in `raw` alone.
    iterations: ({ iterations }: Encryption) =>
      Number.isSafeInteger(iterations) ? iterations : null,
    raw: (metadata: Encryption) => metadata,
  },
} satisfies Resolvers;
