import { testContract } from '../contract.ts';
import { emit } from '../events.ts';
import { Failure } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { endSessionOf, rotate, startSession, testKeyId } from '../tokens.ts';
import { timestamp } from '../world.ts';
import { findByEmail, register } from './users.ts';

export const authHandlers = {
  register: ({ world, visitor, body }) => register(world, visitor, body),

  login({ world, visitor, body }) {
    const user = findByEmail(world, body.email);
    if (user?.password !== body.password) {
      throw new Failure('INVALID_TOKEN', {
        message: 'The email address or the password is wrong.',
      });
    }
    if (user.status === 'suspended') throw new Failure('ACCOUNT_SUSPENDED');
    const { id: userId, email } = user;
    const object = {
      userId,
      email,
      method: 'password',
      ipAddress: '127.0.0.1',
      userAgent: visitor.userAgent,
      loggedInAt: timestamp(world.now()),
    };
    emit(world, { type: 'user.login', userId, visitor, data: { object } });
    return startSession(world, user, visitor);
  },

  refresh: ({ world, visitor, body }) => rotate(world, visitor, body.refreshToken),

  logout({ world, body }) {
    endSessionOf(world, body.refreshToken);
  },

  getJwks: () => ({
    keys: [{ kty: 'RSA', use: 'sig', alg: 'RS256', kid: testKeyId, n: 'AQAB', e: 'AQAB' }],
  }),

  /** Only as much as the contract asks of it: the kit does not carry the whole of it. */
  getOpenApiDocument({ world }) {
    const paths: Record<string, Record<string, object>> = {};
    for (const {
      id,
      method,
      paths: [path],
    } of testContract.operations) {
      paths[path] = { ...paths[path], [method]: { operationId: id } };
    }
    const { openapi, info } = testContract;
    return { openapi, info, servers: [{ url: world.baseUrl }], paths };
  },
} satisfies Partial<Handlers>;
