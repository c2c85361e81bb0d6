/** Maximum number of cached tokens. Each takes about two kilobytes. */
export const maxCachedTokens = 5_000;

/**
 * Remembers verified tokens, since checking an RSA signature takes longer than the rest of a small request. Only
 * tokens that this server signed get in; beyond the limit, the least recently used one leaves.
 *
 * The cache does not know whether the session of a token has ended: every request checks that itself.
 *
 * @param holds whether a token is still valid; an invalid one is forgotten
 */
export function createTokenCache<Verified>(holds: (verified: Verified) => boolean) {
  const known = new Map<string, Verified>();
  return {
    find(token: string): Verified | undefined {
      const found = known.get(token);
      if (found === undefined) return undefined;
      known.delete(token);
      if (!holds(found)) return undefined;
      // Moves the token to the end: the least recently used is first.
      known.set(token, found);
      return found;
    },

    keep(token: string, verified: Verified): Verified {
      known.set(token, verified);
      const [oldest] = known.keys();
      if (known.size > maxCachedTokens && oldest !== undefined) known.delete(oldest);
      return verified;
    },
  };
}
