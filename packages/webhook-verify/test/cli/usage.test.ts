import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../src/index.ts';
import { otherSecret, secret } from '../support/builds.ts';
import { command, fileOf, run } from '../support/cli/command-line.ts';

const to = ['--to', 'http://127.0.0.1:1/hooks'];
const signature = ['--signature', `hmac_sha256=${'0'.repeat(64)}`];

describe('invalid arguments exit with 2 and a message', () => {
  test.each<[string, string[], RegExp]>([
    ['an unknown command', ['sned'], /^Unknown command 'sned'\. Did you mean send\?\n$/],
    ['a command without a similar one', ['forward'], /^Unknown command 'forward'\. See --help\./],
    ['an escape sequence', ['\u001b[2J'], /^Unknown command '\ufffd\[2J'\. See --help\.\n$/],
    ['an unknown option', ['sign', '--sekret=x'], /^Unknown option '--sekret'/],
    ['an option without its value', ['sign', '--secret'], /^Option '--secret <value>' argument/],
    ['a value that looks like an option', ['sign', '--secret', '-x'], /--secret=-XYZ/],
    ['two files', ['sign', 'a', secret], /^Pass one FILE, not 2\.\n$/],
    ['two files to verify', ['verify', 'a', secret, ...signature], /^Pass one FILE, not 2\.\n$/],
    ['no signature', ['verify'], /^Pass the signature with --signature\.\n$/],
    ['an argument for none', ['secret', secret], /^The command takes only options\.\n$/],
    ['nowhere to forward to', ['listen'], /^Pass the receiver's URL with --to\.\n$/],
    ['no API key', ['listen', ...to], /^VAULT_API_KEY is not set\.\n$/],
    [
      'half a service',
      ['listen', ...to, '--from', 'vault.example.com'],
      /^--from must be the URL of a service/,
    ],
    [
      'a service without TLS',
      ['listen', ...to, '--from', 'http://vault.example.com'],
      /^--from must be https: the API key/,
    ],
    ['two types', ['send', 'vault.created', secret, ...to], /^Pass one TYPE, not 2\.\n$/],
    ['no receiver', ['send', 'vault.created'], /^Pass the receiver's URL with --to\.\n$/],
    ['half a URL', ['send', 'vault.created', '--to', 'localhost'], /^--to must be a complete URL/],
    [
      'another protocol',
      ['send', 'vault.created', '--to', 'ftp://host/'],
      /^--to must be a complete/,
    ],
    [
      'a password in the URL',
      ['send', 'vault.created', '--to', 'http://user:password@host/'],
      /^--to must not contain a user name or password/,
    ],
    ['no event', ['send', ...to], /^Pass an event type or --data\.\n\nEvent types:\n {2}vault/],
    [
      'data and a type',
      ['send', 'vault.created', '--data', '-', ...to],
      /^--data cannot be combined with/,
    ],
    [
      'data and an id',
      ['send', '--data', '-', '--id', 'evt_1', ...to],
      /^--data cannot be combined with/,
    ],
    [
      'an id of two lines',
      ['send', 'vault.created', '--id', 'a\nb', ...to],
      /^--id must be printable ASCII/,
    ],
    [
      'a file that is not there',
      ['sign', 'no/such'],
      /^Cannot read no\/such: the file does not exist/,
    ],
    ['a folder', ['sign', tmpdir()], /^Cannot read \S+: it is a folder\.\n$/],
  ])('%s', async (_, args, err) => {
    const ended = await command(args);
    expect(ended).toEqual({ code: 2, out: '', err: expect.stringMatching(err) });
  });

  test('no arguments print the help and exit with 2', async () => {
    const { out: err } = await run(['--help']);
    expect(await run([])).toEqual({ code: 2, out: '', err });
  });

  test('an unknown event type prints the most similar ones and all', async () => {
    const { code, out, err } = await command(['send', 'Vault.create', ...to]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      "Unknown event type 'Vault.create'. Did you mean vault.created or vault.updated?\n\n" +
        `Event types:\n${eventTypes.map((type) => `  ${type}\n`).join('')}`,
    );
  });

  test('an event type without a similar one prints all', async () => {
    const { code, err } = await command(['send', 'invoice', ...to]);
    expect(code).toBe(2);
    expect(err).toMatch(/^Unknown event type 'invoice'\.\n\nEvent types:\n/);
  });

  test.each([
    ['not JSON', '{'],
    ['null', 'null'],
    ['an event without an id', '{"type":"vault.created"}'],
    ['an event without a type', '{"id":"evt_1"}'],
    ['an id that no header can hold', '{"id":"evt_é","type":"vault.created"}'],
    ['a type that would add a header', '{"id":"evt_1","type":"a\\r\\nX-Admin: 1"}'],
  ])('data that is %s', async (_, content) => {
    const ended = await command(['send', '--data', await fileOf(content), ...to]);
    const err = 'The data must be JSON with an `id` and a `type`.\n';
    expect(ended).toEqual({ code: 2, out: '', err });
  });
});

describe('the secret of a command', () => {
  const unset = 'WEBHOOK_SECRET is not set. Set it, or pass --secret.\n';
  const tooShort = 'secret_too_short: The secret is missing or has under 32 characters.\n';
  const whiteSpace = 'secret_whitespace: The secret has white space at an end.\n';

  test.each([
    ['none', null, [], unset],
    ['an empty one in the environment', '', [], unset],
    ['one with its newline', `${secret}\n`, [], whiteSpace],
    ['a short one', secret, ['--secret', 'short'], tooShort],
  ])('%s exits with 2 in every command', async (_, WEBHOOK_SECRET, args, err) => {
    for (const start of [['sign'], ['verify', ...signature], ['send', 'vault.created', ...to]]) {
      const ended = await command([...start, ...args], { WEBHOOK_SECRET });
      expect(ended).toEqual({ code: 2, out: '', err });
    }
  });

  test.each([['sign'], ['send', 'vault.created', ...to]])(
    'can be passed once to %s',
    async (...args) => {
      const ended = await command([...args, '--secret', secret, '--secret', otherSecret]);
      const err = 'Pass --secret once: a body has one signature.\n';
      expect(ended).toEqual({ code: 2, out: '', err });
    },
  );
});

describe('the help of webhook-verify', () => {
  test.each([
    [
      ['--help'],
      /^Usage: webhook-verify COMMAND.* secret .* sign .* verify .* send .* listen .*Exit codes:/s,
    ],
    [['-h'], /^Usage: webhook-verify COMMAND/],
    [['sign', '--help'], /^Usage: webhook-verify sign \[FILE\|-\] \[--secret SECRET\]/],
    [['secret', '--help'], /^Usage: webhook-verify secret\n/],
    [['listen', '--help'], /^Usage: webhook-verify listen --to URL \[--from URL\] \[--type TYPE\]/],
    [['verify', '-h'], /^Usage: webhook-verify verify \[FILE\|-\] --signature VALUE/],
    [
      ['send', 'vault.created', '--help'],
      /^Usage: webhook-verify send \[TYPE\] --to URL \[--id ID\] \[--data FILE\|-\] \[--secret/,
    ],
  ])('%j', async (args, out) => {
    const ended = await command(args, { WEBHOOK_SECRET: null });
    expect(ended).toEqual({ code: 0, out: expect.stringMatching(out), err: '' });
    expect(ended.out.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });

  test('of send ends with the event types', async () => {
    const { out } = await command(['send', '--help']);
    expect(out.endsWith(`Event types:\n${eventTypes.map((type) => `  ${type}\n`).join('')}`)).toBe(
      true,
    );
  });

  test.each(['--version', '-V'])('%s', async (flag) => {
    expect(await command([flag])).toEqual({ code: 0, out: 'source\n', err: '' });
  });
});
