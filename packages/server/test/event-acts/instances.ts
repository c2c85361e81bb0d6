import { expect } from 'vitest';
import type { TestServerOptions } from '../support/server.ts';
import { anonymous, type EventAct, hour, passing, upload, vault } from './act.ts';

/** More free space than any disk has. */
const ill: TestServerOptions = { minFreeDisk: 2 ** 50 };
const well: TestServerOptions = { minFreeDisk: 1 };

const healthOf =
  (status: string): EventAct['data'] =>
  (_answer, _before, { me, server }) => ({
    object: {
      instanceId: me.instanceId,
      status,
      checks: ['store', 'disk', 'deliveries'].map((name) => expect.objectContaining({ name })),
      checkedAt: new Date(server.clock.now()).toISOString(),
    },
  });

export const ofInstances: EventAct[] = [
  {
    type: 'instance.health.degraded',
    restart: { from: well, to: ill },
    silent: passing(hour),
    act: passing(0),
    data: healthOf('degraded'),
    by: anonymous,
  },
  {
    type: 'instance.health.recovered',
    restart: { from: ill, to: well },
    silent: passing(hour),
    act: passing(0),
    data: healthOf('healthy'),
    by: anonymous,
  },
  {
    type: 'instance.quota.warning',
    options: { instanceQuota: 1000 },
    prepare: vault,
    silent: upload(799),
    act: upload(1),
    data: (_answer, _before, { me }) => ({
      object: { instanceId: me.instanceId, usedBytes: 800, quotaBytes: 1000, percentage: 80 },
    }),
    beside: ['document.uploaded'],
  },
];
