import { describe, expect, test } from 'vitest';
import { TestClock } from '../packages/server/src/lib/clock.ts';
import { newKey, newVault } from '../packages/server/test/support/resources.ts';
import { startTestServer } from '../packages/server/test/support/server.ts';
import { command } from '../packages/webhook-verify/test/support/cli/command-line.ts';
import { listen } from '../packages/webhook-verify/test/support/cli/listen.ts';
import {
  startKoaReceiver,
  startServer,
} from '../packages/webhook-verify/test/support/cli/servers.ts';

/** Starts a server with an account. Its clock is ahead, so that no event is older than the command. */
async function startService() {
  const clock = new TestClock(Date.now() + 3_600_000);
  const server = await startTestServer({ clock });
  const { call } = await server.signUp('ada@example.com');
  const { key } = await newKey(call, ['webhooks:read', 'vaults:read']);
  return { from: server.url, apiKey: key, call, clock };
}

describe('webhook-verify listen, between the server and a receiver', () => {
  test('forwards new events once, the oldest first, signed with WEBHOOK_SECRET', async () => {
    const { call, clock, ...service } = await startService();
    const { url: to, events } = await startKoaReceiver();
    const earlier = await newVault(call);
    const ids: string[] = [];
    const create = async () => {
      clock.advance(1);
      ids.push((await newVault(call)).id);
    };
    const steps = [create, () => undefined, () => create().then(create)];
    const { code, out, err, waits } = await listen({ ...service, to, steps });
    expect({ code, err }).toEqual({ code: 1, err: 'stopped\n' });
    expect(events.map(({ data }) => (data.object as { id: string }).id)).toEqual(ids);
    expect(ids).not.toContain(earlier.id);
    const lines = events.map(({ type, id }) => `${type} ${id}: 200 OK in \\d+ ms\\n`);
    const start = `Forwarding the events of ${service.from} to ${to}\\n`;
    expect(out).toMatch(new RegExp(`^${start}${lines.join('')}$`));
    expect(waits.every((wait) => wait >= 10_000 && wait <= 60_000)).toBe(true);
  });

  test('forwards earlier events with --since, over several pages, and one type with --type', async () => {
    const { call, clock, ...service } = await startService();
    const { url: to, events } = await startKoaReceiver();
    const since = new Date(clock.now()).toISOString();
    for (let count = 0; count < 101; count += 1) {
      clock.advance(1000);
      await newVault(call, { name: `${count}` });
    }
    await listen({ ...service, to, args: ['--since', since, '--type', 'vault.created'] });
    const names = events.map(({ data }) => (data.object as { name: string }).name);
    expect(names).toEqual(Array.from({ length: 101 }, (_, count) => `${count}`));
    await listen({ ...service, to, args: ['--since', since, '--type', 'vault.deleted'] });
    expect(events).toHaveLength(101);
  });

  test('prints a new secret without WEBHOOK_SECRET, and signs with it', async () => {
    const { call, clock: _, ...service } = await startService();
    const { url: to, requests } = await startServer();
    const steps = [() => newVault(call)];
    const { out } = await listen({ ...service, to, steps, WEBHOOK_SECRET: null });
    const [, printed = ''] = /WEBHOOK_SECRET=(whsec_[\w+/]{40})\n/.exec(out) ?? [];
    const [{ headers, body } = expect.fail()] = requests;
    const signature = ['--signature', `${headers['x-service-signature']}`, '--secret', printed];
    expect(await command(['verify', ...signature], { input: new Uint8Array(body) })).toMatchObject({
      code: 0,
    });
  });

  test('exits with 1 and the message of the service when the API key is refused', async () => {
    const { from } = await startService();
    const { key } = await startService().then(({ call }) => newKey(call, ['vaults:read']));
    const { code, out, err } = await listen({ from, to: from, apiKey: key });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^The service refused to list its events \(401\)\. .+\n$/);
  });

  test('prints what the receiver refused and goes on', async () => {
    const { call, clock: _, ...service } = await startService();
    const { url: to } = await startServer((_, response) => {
      response.statusCode = 503;
      response.end();
    });
    const steps = [() => newVault(call), () => newVault(call)];
    const { out, err } = await listen({ ...service, to, steps });
    expect(out.split('\n')).toHaveLength(2);
    expect(err).toMatch(
      /^(vault\.created evt_\w+: 503 Service Unavailable in \d+ ms\n){2}stopped\n$/,
    );
  });
});
