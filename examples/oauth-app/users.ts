import { randomBytes } from 'node:crypto';
import type { DocumentVault, Scope } from '@document-vault/sdk';

/** A user who has signed in. */
export interface SignedInUser {
  /** Makes calls for this user. */
  readonly client: DocumentVault;
  /** What the user has agreed to. */
  readonly scopes: readonly Scope[];
}

/** The signed-in users by the id of their session. */
export interface Users {
  /** Returns the id of a new session. */
  add(user: SignedInUser): string;
  find(id: string | undefined): SignedInUser | undefined;
  remove(id: string | undefined): void;
}

/**
 * Keeps the users in memory, so that a restart signs all of them out. An app with several processes keeps
 * the tokens in its database: as a `TokenStore`, the option `store` of `oauthSession`.
 */
export function createUsers(): Users {
  const users = new Map<string, SignedInUser>();
  return {
    add(user) {
      const id = randomBytes(32).toString('base64url');
      users.set(id, user);
      return id;
    },
    find: (id) => (id === undefined ? undefined : users.get(id)),
    remove(id) {
      if (id !== undefined) users.delete(id);
    },
  };
}
