import { describe, expect, test } from 'vitest';
import { refusedHosts } from './support/delivery/refused-hosts.ts';
import { emptyPage, invalid } from './support/replies.ts';
import { newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen, secret } from './support/webhook-events.ts';

const path = '/api/v1/webhooks';

const valid = { url: 'https://93.184.216.34/hook', events: ['vault.created'], secret };

/** Asserts that POST and PUT reject each of these fields, and that nothing is stored. */
async function expectInvalid(
  call: Caller,
  refusals: readonly (readonly [Record<string, unknown>, string, string])[],
): Promise<void> {
  const stored = await call('POST', path, { body: valid });
  expect(stored).toMatchObject({ status: 201 });
  const own = `${path}/${stored.body.id}`;
  for (const [fields, field, constraint] of refusals) {
    const refusal = invalid(field, constraint);
    const shown = JSON.stringify(fields).slice(0, 200);
    expect(await call('POST', path, { body: { ...valid, ...fields } }), shown).toMatchObject(
      refusal,
    );
    expect(await call('PUT', own, { body: fields }), shown).toMatchObject(refusal);
  }
  expect((await call('GET', path)).body.data).toEqual([stored.body]);
}

describe('url of a webhook', () => {
  test('it must be an http or https URL of at most 2,048 characters', async () => {
    const { developer } = await startTestServer();
    await expectInvalid(developer, [
      [{ url: 7 }, 'url', 'type'],
      [{ url: null }, 'url', 'type'],
      [{ url: '' }, 'url', 'pattern'],
      [{ url: 'example.com/hook' }, 'url', 'pattern'],
      [{ url: 'https://93.184.216.34/not encoded' }, 'url', 'format'],
      [{ url: 'https://[::1' }, 'url', 'format'],
      [{ url: 'ftp://example.com/hook' }, 'url', 'pattern'],
      [{ url: 'file:///etc/passwd' }, 'url', 'pattern'],
      [{ url: 'javascript:alert(1)' }, 'url', 'pattern'],
      [{ url: `https://93.184.216.34/${'x'.repeat(2048)}` }, 'url', 'maxLength'],
    ]);
  });

  test('without webhookAllowPrivate, http and private addresses return 400 allowedTarget, in every spelling', async () => {
    const { developer } = await startTestServer({ webhookAllowPrivate: false });
    const refused = [
      'http://93.184.216.34/hook',
      'https://user:password@93.184.216.34/hook',
      ...Object.values(refusedHosts).flatMap((hosts) => hosts.map((host) => `https://${host}/`)),
    ];
    await expectInvalid(
      developer,
      // A URL with a space or a backslash already fails the format.
      refused.map((url) => [{ url }, 'url', /[\s\\]/.test(url) ? 'format' : 'allowedTarget']),
    );
    const open = { ...valid, url: 'https://[2606:2800:220:1:248:1893:25c8:1946]:8443/hook' };
    expect(await developer('POST', path, { body: open })).toMatchObject({ status: 201 });
  });

  test('a host that cannot exist returns 400 allowedTarget, and the longest one is accepted', async () => {
    const { developer } = await startTestServer();
    const label = 'a'.repeat(63);
    const longest = `${label}.${label}.${label}.${'b'.repeat(61)}`;
    const hosts = [`${label}a.example`, `${longest}b`, `${longest}b.`, 'a..example', '.example'];
    await expectInvalid(
      developer,
      hosts.map((host) => [{ url: `https://${host}/hook` }, 'url', 'allowedTarget'] as const),
    );
    for (const host of [longest, `${longest}.`, 'under_score.example', 'example.', '1.example']) {
      const body = { ...valid, url: `https://${host}/hook` };
      expect(await developer('POST', path, { body }), host).toMatchObject({ status: 201 });
    }
  });

  test('with webhookAllowPrivate, http and private addresses are accepted, but never link-local and multicast', async () => {
    const { developer } = await startTestServer({ webhookAllowPrivate: true });
    const refused = [
      'https://169.254.169.254/latest/meta-data',
      'https://[fe80::1]/hook',
      'https://224.0.0.1/hook',
      'https://0.0.0.0/hook',
    ];
    await expectInvalid(
      developer,
      refused.map((url) => [{ url }, 'url', 'allowedTarget'] as const),
    );
    for (const url of ['http://127.0.0.1:9/', 'http://10.0.0.1/', 'https://[::1]/']) {
      const created = await developer('POST', path, { body: { ...valid, url } });
      expect(created).toMatchObject({ status: 201, body: { url } });
    }
  });
});

describe('headers of a webhook', () => {
  const reserved = [
    'X-Service-Signature',
    'x-service-event-id',
    'X-SERVICE-ANYTHING',
    'Accept-Encoding',
    'EXPECT',
    'Host',
    'hOST',
    'Content-Length',
    'content-type',
    'CONTENT-TYPE',
    'Connection',
    'Keep-Alive',
    'Proxy-Authenticate',
    'Proxy-Authorization',
    'Proxy-Connection',
    'TE',
    'trailer',
    'Transfer-Encoding',
    'Upgrade',
    'webhook-id',
    'Webhook-Signature',
    'WEBHOOK-ANYTHING',
    'Content-Encoding',
    'TraceParent',
    'tracestate',
  ];

  test('reserved names return 400 allowedHeader, in any casing', async () => {
    const { developer } = await startTestServer();
    await expectInvalid(
      developer,
      reserved.map(
        (name) => [{ headers: { [name]: 'x' } }, `headers.${name}`, 'allowedHeader'] as const,
      ),
    );
  });

  test('invalid names and values return 400', async () => {
    const { developer } = await startTestServer();
    const value = (text: unknown, constraint: string) =>
      [{ headers: { 'X-A': text } }, 'headers.X-A', constraint] as const;
    const name = (text: string) =>
      [{ headers: { [text]: 'x' } }, `headers.${text}`, 'pattern'] as const;
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'x']));
    await expectInvalid(developer, [
      value('a\r\nX-Injected: b', 'pattern'),
      value('a\nb', 'pattern'),
      value('a\rb', 'pattern'),
      value('a\0b', 'pattern'),
      value('a\u0001b', 'allowedHeader'),
      value('a\u007fb', 'allowedHeader'),
      value('€', 'allowedHeader'),
      value('x'.repeat(4097), 'maxLength'),
      value(7, 'type'),
      value(null, 'type'),
      name('X A'),
      name('X:A'),
      name('X\r\nA'),
      name('Ü'),
      [{ headers: { [`X-${'a'.repeat(100)}`]: 'x' } }, `headers.X-${'a'.repeat(100)}`, 'maxLength'],
      [{ headers: many }, 'headers', 'maxProperties'],
      [{ headers: ['X-A: x'] }, 'headers', 'type'],
    ]);
  });

  test('they are sent with every delivery and may replace headers that are not reserved', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const headers = { 'X-Team': 'archive', Authorization: 'Bearer abc', 'x-latin': 'Ü' };
    const webhook = await listen({ server, call: developer, fields: { headers } });
    await newVault(developer);
    await server.settled();
    expect(webhook.requests[0]?.headers).toMatchObject({
      'x-team': 'archive',
      authorization: 'Bearer abc',
      'x-latin': 'Ü',
    });
    await webhook.events();
    const own = { headers: { 'user-agent': 'our archive' } };
    await developer('PUT', webhook.path, { body: own });
    await newVault(developer);
    await server.settled();
    expect(webhook.requests[0]?.headers).toMatchObject({ 'user-agent': 'our archive' });
    expect(webhook.requests[0]?.headers).not.toHaveProperty('x-team');
  });
});

describe('other fields of a webhook', () => {
  test('values outside their limits return 400 with field and constraint', async () => {
    const { developer } = await startTestServer();
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 0]));
    await expectInvalid(developer, [
      [{ secret: 'x'.repeat(31) }, 'secret', 'minLength'],
      [{ secret: 'x'.repeat(257) }, 'secret', 'maxLength'],
      [{ secret: ` ${'x'.repeat(32)}` }, 'secret', 'pattern'],
      [{ secret: `${'x'.repeat(32)}\n` }, 'secret', 'pattern'],
      [{ secret: null }, 'secret', 'type'],
      [{ events: [] }, 'events', 'minItems'],
      [{ events: ['vault.renamed'] }, 'events.0', 'enum'],
      [{ events: ['vault.created', 'vault.created'] }, 'events', 'uniqueItems'],
      [{ events: 'vault.created' }, 'events', 'type'],
      [{ description: 'x'.repeat(2001) }, 'description', 'maxLength'],
      [{ active: 'yes' }, 'active', 'type'],
      [{ active: null }, 'active', 'type'],
      [{ metadata: many }, 'metadata', 'maxProperties'],
      [{ metadata: [] }, 'metadata', 'type'],
      [{ id: 'mine' }, 'id', 'additionalProperties'],
      [{ stats: {} }, 'stats', 'additionalProperties'],
    ]);
  });

  test('url and events are required', async () => {
    const { developer } = await startTestServer();
    for (const field of ['url', 'events']) {
      const refused = await developer('POST', path, { body: { ...valid, [field]: undefined } });
      expect(refused).toMatchObject(invalid(field, 'required'));
    }
    expect(await developer('GET', path)).toMatchObject(emptyPage);
    const created = await developer('POST', path, { body: valid });
    const empty = await developer('PUT', `${path}/${created.body.id}`, { body: {} });
    expect(empty).toMatchObject(invalid('body', 'minProperties'));
  });
});
