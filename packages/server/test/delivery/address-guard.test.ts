import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { createAddressRules, createGuardedLookup } from '../../src/delivery/targets.ts';
import { refusedHosts } from '../support/delivery/refused-hosts.ts';

const strict = createAddressRules({ allowPrivate: false });
const open = createAddressRules({ allowPrivate: true });

const publicHosts = [
  '8.8.8.8',
  '0x8.0x8.2056',
  '134744072',
  '[2606:4700::1111]',
  'example.com',
  'localhost.example',
];

describe('refusedUrl refuses', () => {
  const table = Object.entries(refusedHosts).flatMap(([range, hosts]) =>
    hosts.map((host) => ({ range, host })),
  );

  test.each(table)('$host ($range)', ({ host }) => {
    expect(strict.refusedUrl(`https://${host}/hook`)).toMatch(/^address \S+ is not allowed$/);
    expect(strict.refusedUrl(`https://${host}:8443/hook`)).toMatch(/^address \S+ is not allowed$/);
  });

  test.each([
    ['http://example.com/', 'only https URLs are allowed'],
    ['ftp://example.com/', 'only https URLs are allowed'],
    ['file:///etc/passwd', 'only https URLs are allowed'],
    ['javascript:alert(1)', 'only https URLs are allowed'],
    ['https://user:password@example.com/', 'a URL with credentials is not allowed'],
    ['https://user@example.com/', 'a URL with credentials is not allowed'],
    ['https://', 'not a URL'],
    ['https://8.8.8.8@127.0.0.1/', 'a URL with credentials is not allowed'],
    ['https://[fe80::1%25eth0]/', 'not a URL'],
    ['https://[fe80::1%eth0]/', 'not a URL'],
    ['https://127.0.0.1%00/', 'not a URL'],
    ['https://4294967296/', 'not a URL'],
    ['https://256.1/', 'not a URL'],
    ['https://[::ffff:0x7f.1]/', 'not a URL'],
    ['example.com', 'not a URL'],
    ['', 'not a URL'],
  ])('%s', (url, reason) => {
    expect(strict.refusedUrl(url)).toBe(reason);
  });
});

test.each(publicHosts)('https://%s/ is allowed', (host) => {
  expect(strict.refusedUrl(`https://${host}/`)).toBeUndefined();
});

describe('refusedUrl with allowPrivate', () => {
  test.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '10.0.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '[fd00::1]',
  ])('allows %s over https and http', (host) => {
    expect(open.refusedUrl(`https://${host}/`)).toBeUndefined();
    expect(open.refusedUrl(`http://${host}:3000/`)).toBeUndefined();
  });

  test.each([
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '224.0.0.1',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[::ffff:127.0.0.1]',
  ])('refuses %s', (host) => {
    expect(open.refusedUrl(`http://${host}/`)).toMatch(/is not allowed$/);
  });

  test('refuses other schemes', () => {
    expect(open.refusedUrl('ftp://127.0.0.1/')).toBe('only https and http URLs are allowed');
  });
});

describe('refusedUrl with allowedNetworks', () => {
  const rules = createAddressRules({
    allowPrivate: false,
    allowedNetworks: ['10.1.0.0/16', 'fd00:1::/32', '169.254.7.7/32'],
  });

  test.each(['10.1.0.1', '10.1.255.255', '[fd00:1::5]', '169.254.7.7'])('%s is allowed', (host) => {
    expect(rules.refusedUrl(`https://${host}/`)).toBeUndefined();
  });

  test.each(['10.2.0.1', '127.0.0.1', '[fd00:2::5]', '169.254.7.8', '[::ffff:10.1.0.1]'])(
    'refuses %s',
    (host) => {
      expect(rules.refusedUrl(`https://${host}/`)).toMatch(/is not allowed$/);
    },
  );

  test('refuses http', () => {
    expect(rules.refusedUrl('http://10.1.0.1/')).toBe('only https URLs are allowed');
  });

  test.each(['10.1.0.0', '10.1.0.0/33', 'office', ''])(
    'createAddressRules throws a RangeError for the network %j',
    (network) => {
      expect(() => createAddressRules({ allowPrivate: false, allowedNetworks: [network] })).toThrow(
        RangeError,
      );
    },
  );
});

describe('createGuardedLookup', () => {
  function look(addresses: readonly string[] | Error, all: boolean) {
    const lookup = createGuardedLookup(strict, async () => {
      if (addresses instanceof Error) throw addresses;
      return addresses;
    });
    return new Promise<string | LookupAddress[]>((resolve, reject) => {
      lookup('receiver.example', { all }, (error, found) => {
        if (error) reject(error);
        else resolve(found);
      });
    });
  }

  test('returns the checked addresses', async () => {
    expect(await look(['8.8.8.8', '2606:4700::1111'], true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await look(['8.8.8.8', '2606:4700::1111'], false)).toBe('8.8.8.8');
  });

  test.each([
    ['10.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['fe80::1%eth0'],
    ['::ffff:7f00:1'],
    ['nonsense'],
    [],
    new Error('SERVFAIL'),
  ])('refuses %j with the same message as a name that does not exist', async (addresses) => {
    const message = 'the name receiver.example has no address that webhooks may connect to';
    for (const all of [true, false]) {
      await expect(look(addresses, all)).rejects.toThrow(message);
    }
  });
});
