import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { base64Of, keysPath } from '../test/support/keys.ts';
import { type Cluster, query, startCluster } from '../test/support/postgres/cluster.ts';
import {
  type Call,
  during,
  Fleet,
  freePorts,
  insist,
  type Reply,
  signUp,
  unlimited,
} from '../test/support/postgres/fleet.ts';
import { documentOf } from '../test/support/resources.ts';

// Four server processes on one database. Each call names the process that gets it.

const races = 1_000;

let cluster: Cluster;
let fleet: Fleet;

beforeAll(async () => {
  cluster = await startCluster();
  const ports = await freePorts(4);
  fleet = new Fleet(ports, {
    ...unlimited,
    DOCUMENT_VAULT_DATABASE_URL: cluster.url,
    DOCUMENT_VAULT_BASE_URL: `http://127.0.0.1:${ports[0]}`,
  });
  await fleet.start(...fleet.ports);
});

afterAll(async () => {
  await fleet.kill(...fleet.ports);
  await cluster.remove();
});

const portOf = (index: number) => fleet.ports[index % fleet.ports.length] ?? 0;

/** Sends a call to all processes at the same time. */
function sendToAll(call: Call): Promise<Reply[]> {
  return Promise.all(fleet.ports.map((port) => insist(port, call)));
}

/** Runs the races, 20 at a time, until one fails. */
async function race(run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    try {
      for (let index = next++; index < races; index = next++) await run(index);
    } finally {
      next = races;
    }
  };
  await Promise.all(Array.from({ length: 20 }, lane));
}

async function post(
  index: number,
  headers: Readonly<Record<string, string>>,
  path: string,
  body: unknown,
): Promise<Reply['body']> {
  const reply = await insist(portOf(index), { path, method: 'POST', headers, body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body;
}

test('in 1,000 races of four processes, a share with a limit of two opens twice', async () => {
  const headers = await signUp(portOf(0), 'shares@example.com');
  const { id: vaultId } = await post(0, headers, '/api/v1/vaults', { name: 'Shared' });
  const { id } = await post(0, headers, '/api/v1/documents', documentOf(vaultId, 'x'));
  await race(async (index) => {
    const share = await post(index, headers, `/api/v1/documents/${id}/share`, {
      access: 'anyone',
      maxAccessCount: 2,
    });
    const replies = await sendToAll({ path: `/shares/${share.shareToken}` });
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 404, 404]);
  });
});

test('in 1,000 races of four processes, an Idempotency-Key takes effect once', async () => {
  const account = await signUp(portOf(1), 'keys@example.com');
  const names: string[] = [];
  await race(async (index) => {
    const name = `vault ${index}`;
    const headers = { ...account, 'idempotency-key': name };
    const replies = await sendToAll({
      path: '/api/v1/vaults',
      method: 'POST',
      headers,
      body: { name },
    });
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    names.push(name);
  });
  const found = await query(
    cluster,
    `SELECT name FROM vaults WHERE name LIKE 'vault %' ORDER BY name`,
  );
  expect(found.map(({ name }) => name)).toEqual(names.sort());
});

test('in 1,000 races of four processes, one PUT of vault keys with the same version succeeds', async () => {
  const headers = await signUp(portOf(2), 'generations@example.com');
  const { id } = await post(0, headers, '/api/v1/vaults', { name: 'Keys' });
  // Each race begins with the version that the one before has stored.
  for (let version = 1; version <= races; version += 1) {
    const replies = await Promise.all(
      fleet.ports.map((port) => {
        const body = { version, generation: 1, sealed: base64Of(101) };
        return insist(port, { path: keysPath(id), method: 'PUT', headers, body });
      }),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  }
});

/** Registers 64 accounts, over all processes. */
async function signUpMany(name: string): Promise<{ readonly authorization: string }[]> {
  const accounts = [];
  for (let index = 0; index < 64; index += 1) {
    accounts.push(await signUp(portOf(index), `${name}${index}@example.com`));
  }
  return accounts;
}

/** Registers a webhook that receives the events of all accounts. Returns a function that deletes it. */
async function receiveAll() {
  await signUp(portOf(0), 'admin@example.com');
  await query(cluster, "UPDATE users SET role = 'admin' WHERE email = 'admin@example.com'");
  // Signs in with the new role.
  const headers = await signUp(portOf(0), 'admin@example.com');
  const receiver = await startReceiver();
  const { id } = await post(0, headers, '/api/v1/webhooks', {
    url: receiver.url,
    accounts: 'all',
    events: ['vault.created', 'document.uploaded'],
    secret: 'a secret of 32 characters or more',
  });
  return async () => {
    await receiver.received(1_000);
    await insist(portOf(0), { path: `/api/v1/webhooks/${id}`, method: 'DELETE', headers });
    await receiver.close();
  };
}

test('requests of 64 accounts, whose events one webhook receives, wait for no row of each other', async () => {
  const accounts = await signUpMany('writer');
  const endReceiving = await receiveAll();
  const ending = new AbortController();
  let written = 0;
  const writing = accounts.map((headers, index) =>
    during(ending.signal, async () => {
      const { id } = await post(index, headers, '/api/v1/vaults', { name: 'Own' });
      await post(index, headers, '/api/v1/documents', documentOf(id, 'x'));
      written += 1;
    }),
  );
  const waits: unknown[] = [];
  for (let sample = 0; sample < 200 || written < 1_000; sample += 1) {
    const waiting = await query(
      cluster,
      `SELECT a.query, b.query AS blocker FROM pg_stat_activity a
         CROSS JOIN unnest(pg_blocking_pids(a.pid)) AS blocking (pid)
         JOIN pg_stat_activity b ON b.pid = blocking.pid
       WHERE a.wait_event_type = 'Lock'
         -- Processes count and claim webhooks in the background. Requests do not wait for these statements.
         AND a.query !~ '^(/[*] all rows [*]/ )?(UPDATE|INSERT INTO) (instance_history|leases)'
         AND a.pid IN (SELECT pid FROM pg_locks WHERE NOT granted AND locktype <> 'extend')`,
    );
    waits.push(...waiting);
    await pause(20);
  }
  ending.abort();
  await Promise.all(writing);
  await endReceiving();
  expect(waits).toEqual([]);
});

test('with webhooks of 64 accounts, no transaction has locks on rows of two of them', async () => {
  const accounts = await signUpMany('receiver');
  const receiver = await startReceiver();
  const webhook = {
    url: receiver.url,
    events: ['vault.created'],
    secret: 'a secret of 32 characters or more',
  };
  for (const [index, headers] of accounts.entries()) {
    await post(index, headers, '/api/v1/webhooks', webhook);
  }
  const ending = new AbortController();
  const writing = accounts.map((headers, index) =>
    during(ending.signal, () => post(index, headers, '/api/v1/vaults', { name: 'Own' })),
  );
  // A changed row names its transaction in xmax. So a transaction waits only for those of its own account.
  const transactions = `SELECT l.pid, COUNT(DISTINCT r.user_id) AS accounts, bool_or(r.is_delivery) AS "hasResults"
    FROM (SELECT xmax AS changed, user_id, false AS is_delivery FROM account_usage
      UNION ALL SELECT s.xmax, w.user_id, false
        FROM webhook_statistics s JOIN webhooks w ON w.id = s.webhook_id
      UNION ALL SELECT d.xmax, w.user_id, true FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE d.next_attempt_at IS NOT NULL) r
      JOIN pg_locks l ON l.locktype = 'transactionid' AND l.transactionid = r.changed AND l.granted
    GROUP BY l.pid`;
  const seen = { requests: 0, results: 0 };
  const shared: unknown[] = [];
  while (seen.requests < 300 || seen.results < 50) {
    for (const transaction of await query(cluster, transactions)) {
      seen[transaction.hasResults ? 'results' : 'requests'] += 1;
      if (Number(transaction.accounts) !== 1) shared.push(transaction);
    }
  }
  ending.abort();
  await Promise.all(writing);
  await receiver.close();
  expect(shared).toEqual([]);
});
