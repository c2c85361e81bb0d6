import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { createGuardedLookup, LookupError } from '../../src/delivery/address-guard.ts';
import { createAddressRules, refusedTarget } from '../../src/domain/webhook-address.ts';

const strict = createAddressRules({ allowPrivate: false });
const open = createAddressRules({ allowPrivate: true });

/** Hosts as they may be written in a URL, by the range they belong to. */
const refusedHosts = {
  loopback: [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '0x7F.0x0.0x0.0x1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '127.255.255.254',
    '127.0.0.1.',
    'localhost',
    'LocalHost.',
    'receiver.localhost',
    '%31%32%37.0.0.1',
    '１２７.０.０.１',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
  ],
  unspecified: ['0.0.0.0', '0', '0.1', '[::]'],
  private: ['10.0.0.1', '10.255.255.255', '0xa.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  'unique local': ['[fc00::1]', '[fd12:3456:789a::1]', '[fd00:ec2::254]'],
  'link-local and metadata': [
    '169.254.169.254',
    '2852039166',
    '0xA9FEA9FE',
    '169.254.0.1',
    '168.63.129.16',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
  ],
  multicast: ['224.0.0.1', '239.255.255.255', '[ff02::1]'],
  broadcast: ['255.255.255.255'],
  reserved: ['192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1'],
  'IPv4-mapped': ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a00:1]', '[::ffff:8.8.8.8]'],
  'IPv4-compatible': ['[::127.0.0.1]', '[::7f00:1]', '[::a00:1]'],
  'IPv4-translated': ['[::ffff:0:7f00:1]'],
  NAT64: ['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::808:808]', '[64:ff9b:1::a00:1]'],
  '6to4': ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:808:808::1]'],
  Teredo: ['[2001::1]', '[2001:0:4136:e378::]'],
  'documentation and unassigned': ['[2001:db8::1]', '[3fff::1]', '[100::1]', '[4000::1]'],
};

const publicHosts = [
  '8.8.8.8',
  '0x8.0x8.2056',
  '134744072',
  '[2606:4700::1111]',
  'example.com',
  'localhost.example',
];

describe('URLs that are refused', () => {
  const table = Object.entries(refusedHosts).flatMap(([range, hosts]) =>
    hosts.map((host) => ({ range, host })),
  );

  it.each(table)('$host ($range)', ({ host }) => {
    expect(strict.refusedUrl(`https://${host}/hook`)).toMatch(/^address \S+ is not allowed$/);
    expect(strict.refusedUrl(`https://${host}:8443/hook`)).toMatch(/^address \S+ is not allowed$/);
  });

  it.each([
    ['http://example.com/', 'only https URLs are allowed'],
    ['ftp://example.com/', 'only https URLs are allowed'],
    ['file:///etc/passwd', 'only https URLs are allowed'],
    ['javascript:alert(1)', 'only https URLs are allowed'],
    ['https://user:password@example.com/', 'a URL with credentials is not allowed'],
    ['https://user@example.com/', 'a URL with credentials is not allowed'],
    ['https://', 'not a URL'],
    ['https://[fe80::1%25eth0]/', 'not a URL'],
    ['example.com', 'not a URL'],
    ['', 'not a URL'],
  ])('%s', (url, reason) => {
    expect(strict.refusedUrl(url)).toBe(reason);
  });
});

it.each(publicHosts)('https://%s/ is allowed', (host) => {
  expect(strict.refusedUrl(`https://${host}/`)).toBeUndefined();
});

describe('with private addresses open', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '10.0.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '[fd00::1]',
  ])('%s is allowed, over http too', (host) => {
    expect(open.refusedUrl(`https://${host}/`)).toBeUndefined();
    expect(open.refusedUrl(`http://${host}:3000/`)).toBeUndefined();
  });

  it.each([
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '224.0.0.1',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[::ffff:127.0.0.1]',
  ])('%s stays refused', (host) => {
    expect(open.refusedUrl(`http://${host}/`)).toMatch(/is not allowed$/);
  });

  it('other schemes stay refused', () => {
    expect(open.refusedUrl('ftp://127.0.0.1/')).toBe('only https and http URLs are allowed');
  });
});

describe('with single networks open', () => {
  const rules = createAddressRules({
    allowPrivate: false,
    allowedNetworks: ['10.1.0.0/16', 'fd00:1::/32', '169.254.7.7/32'],
  });

  it.each(['10.1.0.1', '10.1.255.255', '[fd00:1::5]', '169.254.7.7'])('%s is allowed', (host) => {
    expect(rules.refusedUrl(`https://${host}/`)).toBeUndefined();
  });

  it.each(['10.2.0.1', '127.0.0.1', '[fd00:2::5]', '169.254.7.8', '[::ffff:10.1.0.1]'])(
    '%s stays refused',
    (host) => {
      expect(rules.refusedUrl(`https://${host}/`)).toMatch(/is not allowed$/);
    },
  );

  it('http stays refused', () => {
    expect(rules.refusedUrl('http://10.1.0.1/')).toBe('only https URLs are allowed');
  });

  it.each(['10.1.0.0', '10.1.0.0/33', 'office', ''])('%j is not a network', (network) => {
    expect(() => createAddressRules({ allowPrivate: false, allowedNetworks: [network] })).toThrow(
      RangeError,
    );
  });
});

describe('the target of a new webhook', () => {
  const url = 'https://receiver.example/hook';

  it('is refused when its name leads to a refused address, alone or among others', async () => {
    expect(await refusedTarget(url, strict, async () => ['10.0.0.1'])).toBe(
      'address 10.0.0.1 is not allowed',
    );
    expect(await refusedTarget(url, strict, async () => ['8.8.8.8', '::1'])).toBe(
      'address ::1 is not allowed',
    );
  });

  it('is allowed when its name leads to public addresses, or nowhere yet', async () => {
    expect(await refusedTarget(url, strict, async () => ['8.8.8.8'])).toBeUndefined();
    const unknown = () => Promise.reject(new Error('no such name'));
    expect(await refusedTarget(url, strict, unknown)).toBeUndefined();
  });

  it('is not resolved when the URL is refused or has an address', async () => {
    const resolve = () => Promise.reject(new Error('not to be asked'));
    expect(await refusedTarget('https://127.1/', strict, resolve)).toMatch(/is not allowed$/);
    expect(await refusedTarget('https://8.8.8.8/', strict, resolve)).toBeUndefined();
  });
});

describe('the lookup of a connection', () => {
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

  it('answers what it has checked', async () => {
    expect(await look(['8.8.8.8', '2606:4700::1111'], true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await look(['8.8.8.8', '2606:4700::1111'], false)).toBe('8.8.8.8');
  });

  it.each([
    [['10.0.0.1'], 'address 10.0.0.1 is not allowed'],
    [['8.8.8.8', '127.0.0.1'], 'address 127.0.0.1 is not allowed'],
    [['fe80::1%eth0'], 'address fe80::1%eth0 is not allowed'],
    [['::ffff:7f00:1'], 'address ::ffff:7f00:1 is not allowed'],
    [['nonsense'], 'nonsense is not an address'],
    [new Error('SERVFAIL'), 'the name receiver.example cannot be resolved'],
  ])('refuses %j', async (addresses, message) => {
    for (const all of [true, false]) {
      await expect(look(addresses, all)).rejects.toThrow(new LookupError(message));
    }
  });
});
