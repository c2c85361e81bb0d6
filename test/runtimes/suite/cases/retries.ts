import { check, rejects, same } from '../check.ts';
import {
  JumpingClock,
  keyClient,
  quickCipher,
  requestCounter,
  stubClient,
  withVault,
} from '../clients.ts';
import { control, type InjectedFault, type RecordedRequest } from '../control.ts';
import type { Case, Environment } from '../suite.ts';

/** Uploads a document during a fault and checks that the vault has one document afterwards. */
async function uploadDuring(environment: Environment, fault: InjectedFault): Promise<void> {
  const { client, vaultId } = await withVault(environment);
  const cipher = await quickCipher();
  await control(environment, 'fault', { ...fault, operations: 'createDocument' });
  await client.documents.upload('a text', { vaultId, cipher, fileName: 'a.txt' });
  const { pagination } = await client.documents.list({ vaultId });
  same(pagination.totalCount, 1, 'documents');
}

const keyOf = ({ headers }: RecordedRequest) => headers['idempotency-key'];

export const retryCases: readonly Case[] = [
  {
    name: 'a POST with two 503 responses is retried with the same Idempotency-Key',
    async run(environment) {
      const reasons: string[] = [];
      const client = stubClient(environment, 'unavailable-twice', {
        onRetry: ({ reason, status }) => reasons.push(`${reason} ${status}`),
      });
      await client.vaults.create({ name: 'Taxes' });
      const { stub } = await control(environment, 'requests');
      const keys = stub.map(keyOf);
      same(keys.length, 3, 'attempts');
      check(typeof keys[0] === 'string' && new Set(keys).size === 1, `keys: ${keys}`);
      same(reasons, ['status 503', 'status 503'], 'reasons');
      same((await keyClient(environment).vaults.list()).pagination.totalCount, 1, 'vaults');
    },
  },
  {
    name: 'an upload creates one document when the connection drops before the server handles it',
    run: (environment) => uploadDuring(environment, { kind: 'networkError', when: 'before' }),
  },
  {
    name: 'an upload creates one document when the connection drops after the server has handled it',
    run: (environment) => uploadDuring(environment, { kind: 'networkError', when: 'after' }),
  },
  {
    name: 'an upload creates one document when its response is truncated',
    run: (environment) => uploadDuring(environment, { kind: 'truncate' }),
  },
  {
    name: 'a broken response body is retried with reason network, then rejects with a ConnectionError',
    async run(environment) {
      const reasons: string[] = [];
      const client = stubClient(environment, 'broken-body', {
        onRetry: ({ reason }) => reasons.push(reason),
      });
      await rejects(client.vaults.list(), { name: 'ConnectionError', attempts: 3 });
      same(reasons, ['network', 'network'], 'reasons');
    },
  },
  {
    name: 'three 500 responses reject with a ServerError after two waits with backoff',
    async run(environment) {
      const clock = new JumpingClock();
      const { of, onRequest } = requestCounter();
      const client = keyClient(environment, { clock, onRequest, random: () => 0.5 });
      await control(environment, 'fault', { kind: 'error', operations: 'listVaults', times: 3 });
      const expected = { name: 'ServerError', status: 500, code: 'INTERNAL_ERROR', attempts: 3 };
      await rejects(client.vaults.list(), expected);
      same(of('/api/v1/vaults'), 3, 'requests');
      same(clock.slept, [375, 625], 'waits');
    },
  },
  {
    name: 'a TypeError that fetch throws for a programming error rejects without a retry',
    async run(environment) {
      let calls = 0;
      const fetch = async () => {
        calls++;
        throw new TypeError('x is not a function');
      };
      const error = await rejects(keyClient(environment, { fetch }).vaults.list(), {
        name: 'VaultError',
      });
      check(error.cause instanceof TypeError, 'cause of the error');
      same(calls, 1, 'calls');
    },
  },
];
