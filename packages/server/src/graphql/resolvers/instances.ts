import type { ListQuery } from '../../domain/pages.ts';
import type { Resolvers } from '../call.ts';

export const instanceResolvers = {
  Query: {
    instances: (
      _,
      query: ListQuery<'createdAt' | 'updatedAt' | 'name'>,
      { services, actor, loaders },
    ) => loaders.list(() => services.instances.list(actor, query)),
  },
} satisfies Resolvers;
