import { expect } from 'vitest';
import type { TestServerOptions } from '../support/server.ts';
import { anonymous, type EventAct, hour, passing, upload, vault } from './act.ts';

/** Degraded: requires more free space than any disk has. */
const degraded: TestServerOptions = { minFreeDisk: 2 ** 50 };
const healthy: TestServerOptions = { minFreeDisk: 1 };

const healthOf =
  (status: string): EventAct['data'] =>
  (_reply, _before, { me, server }) => ({
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
    restart: { from: healthy, to: degraded },
    silent: passing(hour),
    act: passing(0),
    data: healthOf('degraded'),
    by: anonymous,
  },
  {
    type: 'instance.health.recovered',
    restart: { from: degraded, to: healthy },
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
    data: (_reply, _before, { me }) => ({
      object: { instanceId: me.instanceId, usedBytes: 800, quotaBytes: 1000, percentage: 80 },
    }),
    otherTypes: ['document.uploaded'],
  },
];
