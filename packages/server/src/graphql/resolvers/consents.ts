import type { ListQuery } from '../../domain/pages.ts';
import type { Shape } from '../../domain/shapes.ts';
import type { Resolvers } from '../call.ts';
import type { Change, Input } from './arguments.ts';

export const consentResolvers = {
  Query: {
    consents: (_, query: ListQuery<'createdAt' | 'updatedAt'>, { services, actor, loaders }) =>
      loaders.list(() => services.consents.list(actor, query)),
  },
  Mutation: {
    createConsent: (_, { input }: Input<Shape<'CreateConsent'>>, { services, actor }) =>
      services.consents.create(actor, input),
    updateConsent: (_, { id, input }: Change<Shape<'UpdateConsent'>>, { services, actor }) =>
      services.consents.update(actor, id, input),
  },
} satisfies Resolvers;
