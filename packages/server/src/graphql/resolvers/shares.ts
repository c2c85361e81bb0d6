import type { Shape } from '../../domain/shapes.ts';
import type { Resolvers } from '../call.ts';
import type { Input } from './arguments.ts';

interface OfDocument extends Input<Shape<'CreateShare'>> {
  readonly documentId: string;
}

export const shareResolvers = {
  Mutation: {
    shareDocument: (_, { documentId, input }: OfDocument, { services, actor }) =>
      services.shares.create(actor, documentId, input),
  },
} satisfies Resolvers;
