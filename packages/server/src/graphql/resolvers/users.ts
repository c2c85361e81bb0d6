import type { Resolvers } from '../call.ts';

export const userResolvers = {
  Query: {
    me: (_, __, { services, actor }) => services.currentUser.get(actor),
  },
} satisfies Resolvers;
