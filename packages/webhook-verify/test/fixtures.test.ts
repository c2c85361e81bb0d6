import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type EventType,
  eventTypes,
  type VaultCreatedEvent,
  type WebhookEvent,
} from '../src/index.ts';
import { fixture } from '../src/testing.ts';
import { contractExamples } from './support/events.ts';

/** ajv-formats is CommonJS: its types and what Node imports differ by one step. */
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
const contract = JSON.parse(
  readFileSync(new URL('../../../openapi/v1.json', import.meta.url), 'utf8'),
);
const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats(ajv);
ajv.addSchema(contract, 'contract');

/** Returns the violations of the contract's schema of an event type. */
function objections(type: EventType, event: unknown): unknown {
  const pointer = `webhooks/${type}/post/requestBody/content/application~1json/schema`;
  const isEvent = ajv.compile({ $ref: `contract#/${pointer}` });
  return isEvent(event) ? [] : isEvent.errors;
}

describe('fixtures', () => {
  test('exist for the 22 types of the contract, in its order', () => {
    expect(eventTypes).toHaveLength(22);
    expect(eventTypes).toEqual(contractExamples().map(([type]) => type));
  });

  test.each(eventTypes)(
    '%s: the example of the contract at the current time, valid for its schema',
    (type) => {
      const event = fixture(type);
      const { timestamp } = event;
      expect(event).toEqual({ ...Object.fromEntries(contractExamples())[type], timestamp });
      expect(Math.abs(Date.now() - Date.parse(timestamp))).toBeLessThan(60_000);
      expect(objections(type, event)).toEqual([]);
      expect(objections(type, { ...event, data: { object: {} } })).not.toEqual([]);
    },
  );

  test('are new copies at each call', () => {
    const event = fixture('document.uploaded');
    event.data.object.fileName = 'changed.pdf';
    expect(fixture('document.uploaded').data.object.fileName).toBe('tax-return.pdf');
  });

  test.each(['vault.create', '', 'toString', '__proto__'])(
    'throw a RangeError for the type %j',
    (type) => {
      expect(() => fixture(type as EventType)).toThrow(
        new RangeError(`There is no event type '${type}'.`),
      );
    },
  );

  test('have the TypeScript type of their event', () => {
    expectTypeOf(fixture('vault.created')).toEqualTypeOf<VaultCreatedEvent>();
    expectTypeOf(fixture('user.login' as EventType)).toEqualTypeOf<WebhookEvent>();
    // @ts-expect-error there is no such type
    expect(() => fixture('vault.create')).toThrow(RangeError);
  });
});
