import { check, rejects, same } from '../check.ts';
import {
  JumpingClock,
  keyClient,
  quickCipher,
  requestCounter,
  sceneClient,
  withVault,
} from '../clients.ts';
import { type Arrival, control } from '../control.ts';
import type { Case, World } from '../suite.ts';

/** Uploads one document while `fault` is ordered, and looks at what there is afterwards. */
async function uploadDuring(world: World, fault: object): Promise<void> {
  const { client, vaultId } = await withVault(world);
  const cipher = await quickCipher();
  await control(world, 'fault', { ...fault, operation: 'createDocument' });
  await client.documents.upload('a text', { vaultId, cipher, fileName: 'a.txt' });
  const { pagination } = await client.documents.list({ vaultId });
  same(pagination.totalCount, 1, 'documents');
}

const keyOf = ({ headers }: Arrival) => headers['idempotency-key'];

export const retryCases: readonly Case[] = [
  {
    name: 'a POST that met 503 twice is repeated under one Idempotency-Key',
    async run(world) {
      const reasons: string[] = [];
      const client = sceneClient(world, 'unavailable-twice', {
        onRetry: ({ reason, status }) => reasons.push(`${reason} ${status}`),
      });
      await client.vaults.create({ name: 'Taxes' });
      const { companion } = await control(world, 'arrivals');
      const keys = companion.map(keyOf);
      same(keys.length, 3, 'attempts');
      check(typeof keys[0] === 'string' && new Set(keys).size === 1, `keys: ${keys}`);
      same(reasons, ['status 503', 'status 503'], 'reasons');
      same((await keyClient(world).vaults.list()).pagination.totalCount, 1, 'vaults');
    },
  },
  {
    name: 'an upload whose connection was dropped before the work makes one document',
    run: (world) => uploadDuring(world, { fault: 'drop', when: 'before' }),
  },
  {
    name: 'an upload whose connection was dropped after the work makes one document',
    run: (world) => uploadDuring(world, { fault: 'drop', when: 'after' }),
  },
  {
    name: 'an upload whose answer broke off makes one document',
    run: (world) => uploadDuring(world, { fault: 'truncate' }),
  },
  {
    name: 'a lost connection is a retry for the network, and repeated',
    async run(world) {
      const reasons: string[] = [];
      const client = sceneClient(world, 'broken-body', {
        onRetry: ({ reason }) => reasons.push(reason),
      });
      await rejects(client.vaults.list(), { name: 'ConnectionError', attempts: 3 });
      same(reasons, ['network', 'network'], 'reasons');
    },
  },
  {
    name: 'a 500 that stays is a ServerError after every retry',
    async run(world) {
      const clock = new JumpingClock();
      const { of, onRequest } = requestCounter();
      const client = keyClient(world, { clock, onRequest, random: () => 0.5 });
      await control(world, 'fault', { fault: 'error', operation: 'listVaults', times: 3 });
      const expected = { name: 'ServerError', status: 500, code: 'INTERNAL_ERROR', attempts: 3 };
      await rejects(client.vaults.list(), expected);
      same(of('/api/v1/vaults'), 3, 'requests');
      same(clock.slept, [375, 625], 'waits');
    },
  },
  {
    name: 'a mistake of the program is no failure of the network',
    async run(world) {
      let calls = 0;
      const fetch = async () => {
        calls++;
        throw new TypeError('x is not a function');
      };
      const error = await rejects(keyClient(world, { fetch }).vaults.list(), {
        name: 'VaultError',
      });
      check(error.cause instanceof TypeError, 'its cause');
      same(calls, 1, 'calls');
    },
  },
];
