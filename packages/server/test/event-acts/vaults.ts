import {
  document,
  type EventAct,
  put,
  type Resource,
  remove,
  type Setting,
  upload,
  vault,
} from './act.ts';

/** The current vault with the given usage, as in events. */
async function withUsage({ owner }: Setting, { id }: Resource, usage: object) {
  return { object: { ...(await owner('GET', `/api/v1/vaults/${id}`)).body, usage } };
}

export const ofVaults: EventAct[] = [
  {
    type: 'vault.created',
    silent: ({ owner }) => owner('POST', '/api/v1/vaults', { body: { name: '' } }),
    act: ({ owner }) => owner('POST', '/api/v1/vaults', { body: { name: 'Taxes' } }),
    data: (object) => ({ object }),
  },
  {
    type: 'vault.updated',
    prepare: vault,
    silent: put('/api/v1/vaults', { name: 'Taxes' }),
    act: put('/api/v1/vaults', { name: 'Taxes', description: 'Returns', category: 'health' }),
    data: (object) => ({
      object,
      changes: ['description', 'category'],
      previous: { description: null, category: null },
    }),
  },
  {
    type: 'vault.deleted',
    prepare: async (setting) => ({ id: (await document(setting)).vaultId }),
    silent: remove('/api/v1/vaults', 'unknown'),
    act: remove('/api/v1/vaults'),
    data: (_, { id }) => ({ object: { id, documentCount: 1 } }),
  },
  {
    type: 'vault.quota.warning',
    options: { vaultQuota: { enterprise: 1000 } },
    prepare: vault,
    silent: upload(799),
    act: upload(1),
    data: (_, before, setting) =>
      withUsage(setting, before, { usedBytes: 800, quotaBytes: 1000, percentage: 80 }),
    otherTypes: ['document.uploaded'],
  },
  {
    type: 'vault.quota.exceeded',
    options: { vaultQuota: { enterprise: 1000 } },
    prepare: vault,
    silent: upload(1000),
    act: upload(1),
    data: (_, before, setting) =>
      withUsage(setting, before, { usedBytes: 1000, quotaBytes: 1000, percentage: 100 }),
  },
];
