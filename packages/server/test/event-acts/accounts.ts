import { expect } from 'vitest';
import { newConsent } from '../support/resources.ts';
import {
  type Act,
  anonymous,
  type EventAct,
  hour,
  inAnHour,
  passing,
  put,
  type Setting,
} from './act.ts';

export const ofConsents: EventAct[] = [
  {
    type: 'consent.granted',
    silent: ({ owner }) => owner('POST', '/consents', { body: { purpose: 'Taxes' } }),
    act: ({ owner }) =>
      owner('POST', '/consents', { body: { purpose: 'Taxes', grantedTo: 'Linden' } }),
    data: (object) => ({ object }),
  },
  {
    type: 'consent.revoked',
    prepare: ({ owner }) => newConsent(owner),
    silent: put('/consents', { description: 'of this year' }),
    act: put('/consents', { status: 'revoked', reason: 'The return is filed' }),
    data: (_, { id }) => ({ object: { id, reason: 'The return is filed' } }),
  },
  {
    type: 'consent.expired',
    prepare: (setting) => newConsent(setting.owner, inAnHour(setting)),
    silent: passing(hour / 2),
    act: passing(hour),
    data: async (_, { id }, { owner }) => {
      const { data } = (await owner('GET', '/consents')).body;
      expect(data).toMatchObject([{ id, status: 'expired' }]);
      return { object: data[0] };
    },
    by: anonymous,
  },
  {
    type: 'consent.renewed',
    async prepare(setting) {
      const consent = await newConsent(setting.owner);
      await put('/consents', { status: 'revoked' })(setting, consent);
      return consent;
    },
    silent: put('/consents', { metadata: { year: 2025 } }),
    act: put('/consents', { status: 'granted' }),
    data: (object) => ({ object }),
  },
];

const register =
  (password: string): Act =>
  ({ server }) =>
    server.anonymous('POST', '/auth/register', {
      body: { email: 'new@example.com', name: 'New', password },
    });

const logIn = ({ server, me, password }: Setting) =>
  server.anonymous('POST', '/auth/login', {
    body: { email: me.email, password },
    headers: { 'user-agent': 'browser' },
  });

const deleteAccount = ({ owner, password }: Setting) =>
  owner('DELETE', '/api/v1/users/me', { body: { password } });

export const ofUsers: EventAct[] = [
  {
    type: 'user.created',
    silent: register('short'),
    act: register('a long password'),
    data: (object) => ({ object }),
    by: ({ id }) => id,
  },
  {
    type: 'user.updated',
    silent: put('/api/v1/users', { name: 'Test User' }),
    act: put('/api/v1/users', { name: 'Ada' }),
    // Events show the user without the usage of the account.
    data: ({ usage: _, ...object }) => ({
      object,
      changes: ['name'],
      previous: { name: 'Test User' },
    }),
  },
  {
    type: 'user.deleted',
    silent: (setting) => deleteAccount({ ...setting, password: 'wrong' }),
    act: deleteAccount,
    data: (_reply, _before, { me }) => ({ object: { id: me.id } }),
  },
  {
    type: 'user.login',
    silent: (setting) => logIn({ ...setting, password: 'wrong' }),
    act: logIn,
    data: (_reply, _before, { me, server }) => ({
      object: {
        userId: me.id,
        email: me.email,
        method: 'password',
        ipAddress: '127.0.0.1',
        userAgent: 'browser',
        loggedInAt: new Date(server.clock.now()).toISOString(),
      },
    }),
  },
];
