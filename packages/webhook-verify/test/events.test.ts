import { describe, expect, test } from 'vitest';
import { type ReceivedEvent, WebhookVerificationError } from '../src/index.ts';
import { builds, secret, sharedOutcome } from './support/builds.ts';
import { contractExamples, unknownEvent, vaultDeleted } from './support/events.ts';
import { sign } from './support/sign.ts';

function received(body: string | Uint8Array, rule: { maxAge?: number; clock?: () => number } = {}) {
  return sharedOutcome({ secrets: [secret], ...rule }, body, sign(body, secret));
}

describe('events', () => {
  test.each(contractExamples())(
    '%s: the example of the contract is handed on',
    async (_, example) => {
      const clock = () => Date.parse(example.timestamp);
      const outcome = await received(JSON.stringify(example), { clock });
      expect(outcome).toEqual({ secretIndex: 0, event: example });
    },
  );

  test('there are 22 types', () => {
    expect(contractExamples()).toHaveLength(22);
  });

  test('of unknown types are returned', async () => {
    const event = unknownEvent('vault.archived');
    expect(await received(JSON.stringify(event))).toEqual({ secretIndex: 0, event });
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'then', '', ' '])(
    'of a type named %j are unknown ones',
    async (type) => {
      const event = unknownEvent(type);
      expect(await received(JSON.stringify(event))).toEqual({ secretIndex: 0, event });
    },
  );

  test('keep properties that this version does not know', async () => {
    const event = { ...vaultDeleted, region: 'eu', data: { ...vaultDeleted.data, reason: 'gdpr' } };
    expect(await received(JSON.stringify(event))).toEqual({ secretIndex: 0, event });
  });

  test('are parsed after a byte order mark, in a string and in bytes', async () => {
    const text = `\ufeff${JSON.stringify(vaultDeleted)}`;
    const expected = { secretIndex: 0, event: vaultDeleted };
    expect(await received(text)).toEqual(expected);
    expect(await received(new TextEncoder().encode(text))).toEqual(expected);
  });

  test('get U+FFFD for invalid UTF-8, in a string and in bytes', async () => {
    const [before, after] = JSON.stringify({ ...vaultDeleted, note: '|' }).split('|');
    const bytes = Buffer.concat([
      Buffer.from(`${before}`),
      Buffer.from([0xff]),
      Buffer.from(`${after}`),
    ]);
    const expected = { secretIndex: 0, event: { ...vaultDeleted, note: '\ufffd' } };
    expect(await received(bytes)).toEqual(expected);
    expect(await received(`${before}\ud800${after}`)).toEqual(expected);
  });

  test.each([1, 21_000, 30_000])(
    'are equal in a string of %d × 3 code units and in its bytes',
    async (times) => {
      const note = '金🗄'.repeat(times);
      const text = JSON.stringify({ ...vaultDeleted, note });
      const expected = { secretIndex: 0, event: { ...vaultDeleted, note } };
      expect(await received(text)).toEqual(expected);
      expect(await received(Buffer.from(text))).toEqual(expected);
      const broken = { secretIndex: 0, event: { ...vaultDeleted, note: `${note}\ufffd` } };
      expect(await received(text.replace('🗄"', '🗄\ud800"'))).toEqual(broken);
    },
  );

  test('have test: true exactly when context.test is true', async () => {
    const tested = { ...vaultDeleted, context: { ...vaultDeleted.context, test: true } };
    const event = { ...tested, test: true };
    expect(await received(JSON.stringify(tested))).toEqual({ secretIndex: 0, event });
    const untested = await received(JSON.stringify(vaultDeleted));
    expect((untested as { event: ReceivedEvent }).event).not.toHaveProperty('test');
    for (const context of [null, 'test', { test: false }]) {
      const outcome = await received(JSON.stringify({ ...vaultDeleted, context }));
      expect((outcome as { event: ReceivedEvent }).event).not.toHaveProperty('test');
    }
  });

  test('do not get a prototype from the body', async () => {
    const body = JSON.stringify(vaultDeleted).replace('{', '{"__proto__":{"admin":true},');
    const outcome = await received(body);
    expect(outcome).toHaveProperty('event');
    expect((outcome as { event: ReceivedEvent & { admin?: boolean } }).event.admin).toBeUndefined();
  });
});

describe('a signed body that is not an event', () => {
  test.each([
    ['nothing', ''],
    ['a form', 'type=vault.deleted&id=evt_1'],
    ['cut-off JSON', JSON.stringify(vaultDeleted).slice(0, -1)],
    ['JSON and more', `${JSON.stringify(vaultDeleted)}{}`],
    ['two byte order marks', `\ufeff\ufeff${JSON.stringify(vaultDeleted)}`],
    ['null', 'null'],
    ['a string', '"vault.deleted"'],
    ['an array of events', JSON.stringify([vaultDeleted])],
    ['an object without an id', '{"type":"vault.deleted"}'],
    ['an object without a type', '{"id":"evt_1"}'],
    ['a number', '42'],
    ['true', 'true'],
    ['an empty array', '[]'],
    ['an id and a type in a prototype', '{"__proto__":{"id":"evt_1","type":"vault.deleted"}}'],
    ['a type that is a list', '{"id":"evt_1","type":["vault.deleted"]}'],
    ['a type that is an object', '{"id":"evt_1","type":{}}'],
    ['a type that is a number', '{"id":"evt_1","type":1}'],
    ['an id that is null', '{"id":null,"type":"vault.deleted"}'],
    ['an id that is a number', '{"id":1,"type":"vault.deleted"}'],
    ['a type that is null', '{"id":"evt_1","type":null}'],
    ['100,000 brackets', '['.repeat(100_000)],
  ])('gives invalid_event: %s', async (_, body) => {
    expect(await received(body)).toEqual({
      name: 'WebhookVerificationError',
      code: 'invalid_event',
      message: 'The body is no JSON event.',
    });
  });

  test.each(builds)('has the parse error as its cause, %s', async (_, create) => {
    const error = await create({ secrets: [secret] })
      .verify('{', sign('{', secret))
      .catch((thrown: unknown) => thrown);
    expect(error).toHaveProperty('cause', expect.any(SyntaxError));
  });

  test.each(builds)('is not parsed before the signature is verified, %s', async (_, create) => {
    await expect(
      create({ secrets: [secret] }).verify('{', sign('[', secret)),
    ).rejects.toMatchObject({ code: 'signature_mismatch' });
  });
});

describe('maxAge', () => {
  const body = JSON.stringify(vaultDeleted);
  const happened = Date.parse(vaultDeleted.timestamp);
  const at = (offset: number) => ({ maxAge: 300_000, clock: () => happened + offset });
  const accepted = { secretIndex: 0, event: vaultDeleted };

  const days = 86_400_000;

  test.each([30, 31, -31])('accepts an event %i days ago by default', async (age) => {
    expect(await received(body, { clock: () => happened + age * days })).toEqual(accepted);
  });

  test.each([31 * days + 1, -31 * days - 1])(
    'refuses an event %i ms ago by default',
    async (offset) => {
      expect(await received(body, { clock: () => happened + offset })).toEqual({
        name: 'WebhookVerificationError',
        code: 'outside_max_age',
        message: 'The event is outside maxAge.',
      });
    },
  );

  test.each([0, 1, -1, 300_000, -300_000])('accepts an event %i ms ago', async (offset) => {
    expect(await received(body, at(offset))).toEqual(accepted);
  });

  test.each([300_001, -300_001])('refuses an event %i ms ago', async (offset) => {
    expect(await received(body, at(offset))).toEqual({
      name: 'WebhookVerificationError',
      code: 'outside_max_age',
      message: 'The event is outside maxAge.',
    });
  });

  test('Infinity accepts any time', async () => {
    const rule = { maxAge: Number.POSITIVE_INFINITY, clock: () => 0 };
    expect(await received(body, rule)).toEqual(accepted);
  });

  test.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['0, which means off elsewhere', 0],
    ['-1', -1],
    ['minus infinity', Number.NEGATIVE_INFINITY],
    ['null', null],
    ['a duration in words', '6h'],
    ['a list', [1, 2]],
    ['an object', {}],
  ])('throws invalid_option when it is %s', (_, maxAge) => {
    for (const [, create] of builds) {
      const construct = () => create({ secrets: [secret], maxAge: maxAge as number });
      expect(construct).toThrow(WebhookVerificationError);
      expect(construct).toThrow(
        expect.objectContaining({ code: 'invalid_option', message: 'maxAge must be above 0.' }),
      );
    }
  });

  test('does not follow later changes of the options', async () => {
    for (const [, create] of builds) {
      const options = { secrets: [secret], maxAge: 1, clock: () => happened + 1 };
      const verifier = create(options);
      options.maxAge = Number.NaN;
      options.clock = () => 0;
      await expect(verifier.verify(body, sign(body, secret))).resolves.toEqual(vaultDeleted);
    }
  });

  test.each(['yesterday', '', null])(
    'refuses the timestamp %j, when any age is accepted too',
    async (timestamp) => {
      const strange = JSON.stringify({ ...vaultDeleted, timestamp });
      for (const maxAge of [300_000, Infinity]) {
        const outcome = await received(strange, { maxAge, clock: () => happened });
        expect(outcome).toMatchObject({ code: 'outside_max_age' });
      }
    },
  );

  test('rejects with the error of clock as it is', async () => {
    const failure = new Error('the clock failed');
    const clock = () => {
      throw failure;
    };
    for (const [, create] of builds) {
      const verifier = create({ secrets: [secret], clock });
      await expect(verifier.verify(body, sign(body, secret))).rejects.toBe(failure);
    }
  });

  test('uses the system clock by default', async () => {
    const now = JSON.stringify({ ...vaultDeleted, timestamp: new Date().toISOString() });
    expect(await received(now, { maxAge: 3_600_000 })).toMatchObject({ secretIndex: 0 });
    const long = JSON.stringify({ ...vaultDeleted, timestamp: '2001-01-01T00:00:00.000Z' });
    expect(await received(long, { maxAge: 3_600_000 })).toMatchObject({ code: 'outside_max_age' });
  });
});
