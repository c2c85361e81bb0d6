import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  getCode,
  type OAuthServer,
  redeem,
  refresh,
  sendForm,
  startOAuthServer,
  type TokenReply,
} from '../support/oauth.ts';

/** What an app, or a thief beside it, does with one code and its tokens. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'redeem' } as const) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('refresh' as const), token: fc.nat(5) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('revoke' as const),
      token: fc.nat(5),
      type: fc.constantFrom('refresh', 'access'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      seconds: fc.constantFrom(1, 9, 11),
    }),
  },
);

/** Steps of one round run at the same time. */
const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 5,
});

/** The tokens of one code, in the order in which they were issued. */
class Family {
  readonly refreshTokens: string[] = [];
  readonly accessTokens: string[] = [];
  /** The refresh tokens that were returned for each one. */
  readonly successors = new Map<string, Set<string>>();
  redemptions = 0;
  isRevoked = false;

  noteRefresh(token: string, reply: TokenReply): void {
    this.note(reply);
    if (reply.status !== 200) return;
    const successors = this.successors.get(token) ?? new Set();
    this.successors.set(token, successors.add(reply.body.refresh_token));
  }

  note({ status, body }: TokenReply): void {
    if (status !== 200) return;
    this.accessTokens.push(body.access_token);
    this.refreshTokens.push(body.refresh_token);
  }
}

test('200 random sequences of exchange, refresh and revoke redeem a code once, and leave no live token under a dead grant', async () => {
  const server: OAuthServer = await startOAuthServer({
    requestsPerHour: { enterprise: 1_000_000 },
  });
  const app = await server.register();
  const ada = await server.signUp('ada@example.com');

  await fc.assert(
    fc.asyncProperty(rounds, async (sequence) => {
      const code = await getCode(server, app, ada);
      const family = new Family();
      const act = async (action: (typeof sequence)[number][number]) => {
        if (action.kind === 'wait') return server.clock.advance(action.seconds * 1000);
        if (action.kind === 'redeem') {
          const reply = await redeem(server, app, code);
          if (reply.status === 200) family.redemptions += 1;
          return family.note(reply);
        }
        const { refreshTokens, accessTokens } = family;
        const isAccess = action.kind === 'revoke' && action.type === 'access';
        const tokens = isAccess ? accessTokens : refreshTokens;
        const token = tokens[action.token % Math.max(1, tokens.length)];
        if (token === undefined) return undefined;
        if (action.kind === 'refresh') {
          return family.noteRefresh(token, await refresh(server, app, token));
        }
        family.isRevoked = true;
        const reply = await sendForm(server, '/oauth/revoke', app, { token });
        expect(reply.status).toBe(200);
      };
      for (const round of sequence) await Promise.all(round.map(act));

      expect(family.redemptions).toBeLessThanOrEqual(1);
      const uses = await Promise.all(
        family.accessTokens.map((token) => server.withToken(token)('GET', '/api/v1/vaults')),
      );
      // All tokens of a family share one grant: either all of them live, or none.
      const statuses = new Set(uses.map(({ status }) => status));
      expect(statuses.size).toBeLessThanOrEqual(1);
      if (family.isRevoked) expect([...statuses]).toEqual([401]);
      for (const successors of family.successors.values()) expect(successors.size).toBe(1);
      if (statuses.has(401)) {
        for (const token of family.refreshTokens) {
          expect((await refresh(server, app, token)).status).toBe(400);
        }
      }
    }),
    { numRuns: 200 },
  );
}, 300_000);
