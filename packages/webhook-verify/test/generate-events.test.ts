import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookEventTypes } from '../../../scripts/generate-events.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-events-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Schema = Record<string, unknown>;

const string: Schema = { type: 'string' };
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

function eventSchema(type: string, object: Schema): Schema {
  return {
    type: 'object',
    description: `It was ${type}.`,
    required: ['id', 'type', 'data'],
    properties: {
      id: { ...string, description: 'Unique.' },
      type: { ...string, const: type },
      data: { type: 'object', required: ['object'], properties: { object } },
    },
  };
}

/** A contract of two events; `schemas` are added to, or put in the place of, those it has. */
function contract(schemas: Record<string, Schema> = {}) {
  const webhook = (name: string) => ({
    post: { requestBody: { content: { 'application/json': { schema: reference(name) } } } },
  });
  return {
    webhooks: { 'box.made': webhook('BoxMadeEvent'), 'box.lost': webhook('BoxLostEvent') },
    components: {
      schemas: {
        EventType: { ...string, enum: ['box.made', 'box.lost'], description: 'Type of an event.' },
        BoxMadeEvent: eventSchema('box.made', reference('FullBox')),
        BoxLostEvent: eventSchema('box.lost', {
          type: ['array', 'null'],
          items: { enum: ['a', 'b'] },
        }),
        FullBox: {
          description: 'A box */ and what is in it.',
          allOf: [
            reference('Box'),
            {
              type: 'object',
              properties: { content: { type: 'object', additionalProperties: true } },
            },
          ],
        },
        Box: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } },
        Unused: string,
        ...schemas,
      },
    },
  };
}

async function generate(value: unknown): Promise<string> {
  const file = join(folder, 'contract.json');
  await writeFile(file, JSON.stringify(value));
  return webhookEventTypes(pathToFileURL(file));
}

describe('webhookEvents()', () => {
  test('prints the schemas that events use, each once, and no others', async () => {
    expect(await generate(contract())).toBe(`\
// Generated from openapi/ by \`npm run generate\`. Do not edit.

export interface Box {
  size: number;
}

/** A box *\\/ and what is in it. */
export interface FullBox extends Box {
  content?: Record<string, unknown>;
}

/** The properties of every event, without \`type\` and \`data\`. */
export interface EventEnvelope {
  /** Unique. */
  id: string;
  /** \`true\` for a test event, as in \`context.test\`; missing otherwise. Set by the verifier. */
  test?: true;
}

/** It was box.made. */
export interface BoxMadeEvent extends EventEnvelope {
  type: 'box.made';
  data: {
    /** A box *\\/ and what is in it. */
    object: FullBox;
  };
}

/** It was box.lost. */
export interface BoxLostEvent extends EventEnvelope {
  type: 'box.lost';
  data: {
    object: ('a' | 'b')[] | null;
  };
}

/** The events by their type. */
export interface WebhookEventMap {
  /** It was box.made. */
  'box.made': BoxMadeEvent;
  /** It was box.lost. */
  'box.lost': BoxLostEvent;
}

/** Type of an event. */
export type EventType = keyof WebhookEventMap;

/** Any of the events; \`type\` names it. */
export type WebhookEvent = WebhookEventMap[EventType];

/** All event types, in the order of the contract. */
export const eventTypes: readonly EventType[] = [
  'box.made',
  'box.lost',
];
`);
  });

  test.each<[string, Record<string, Schema>, string]>([
    [
      'a type that no webhook has',
      { EventType: { enum: ['box.made', 'box.lost', 'box.found'] } },
      'webhooks and EventType differ',
    ],
    [
      'a webhook whose event is of another type',
      { BoxLostEvent: eventSchema('box.made', string) },
      'BoxLostEvent is not of type box.lost',
    ],
    ['a reference to nothing', { Box: reference('Crate') }, 'the contract has no schema Crate'],
    ['a property without a type', { Box: { properties: { size: {} } } }, 'Box.size has no type'],
    [
      'a keyword that it does not know',
      { Box: { properties: { size: { oneOf: [string] } } } },
      'Box.size has no type',
    ],
    [
      'an object of unknown shape',
      { Box: { properties: { size: { type: 'object' } } } },
      'Box.size: no translation for this object',
    ],
    [
      'a composition of three',
      { FullBox: { allOf: [reference('Box'), reference('Box'), reference('Box')] } },
      'FullBox: allOf is understood as a reference and an object',
    ],
  ])('throws for %s', async (_, schemas, message) => {
    await expect(generate(contract(schemas))).rejects.toThrow(message);
  });
});
