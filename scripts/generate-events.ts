/**
 * Prints the event types of the webhook verifier from the `webhooks` section of the contract: as
 * interfaces with names, which openapi-typescript does not write, because receivers read them.
 */
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  comment,
  declaration,
  header,
  interfaceText,
  refName,
  type Schema,
  type Schemas,
  schemaNamed,
} from './typescript-printer.ts';

interface Contract {
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
  readonly components: { readonly schemas: Schemas };
}

interface WebhookOperation {
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
}

/** One event: its type and the schema that describes it. */
interface EventSchema {
  readonly type: string;
  readonly name: string;
  readonly schema: Schema;
}

/**
 * The text of the verifier's `generated/events.ts`: an interface for each event and payload, and
 * the map of event types to events.
 *
 * @throws Error when the sections of the contract disagree about which events there are, or a
 * schema uses a keyword that has no translation here
 */
export async function webhookEventTypes(contractUrl: URL): Promise<string> {
  const contract = JSON.parse(await readFile(contractUrl, 'utf8')) as Contract;
  const { schemas } = contract.components;
  describeReferences(contract.components, schemas);
  const events = eventSchemas(contract);
  const envelope = sharedProperties(events);
  const names = new Set(events.map(({ name }) => name));

  const payloads = reachable(events, schemas).filter((name) => !names.has(name));
  return [
    header,
    ...payloads.map((name) => declaration(name, schemaNamed(name, schemas))),
    interfaceText('EventEnvelope', envelopeSchema(envelope)),
    ...events.map((event) => eventText(event, envelope)),
    mapText(events),
    `${comment(schemaNamed('EventType', schemas).description)}export type EventType = keyof WebhookEventMap;\n`,
    '/** Any of the events; `type` names it. */\nexport type WebhookEvent = WebhookEventMap[EventType];\n',
    `/** All event types, in the order of the contract. */\nexport const eventTypes: readonly EventType[] = [\n${events.map(({ type }) => `  '${type}',\n`).join('')}];\n`,
  ].join('\n');
}

/** Gives properties that only refer to a schema the description of that schema. */
function describeReferences(value: unknown, schemas: Schemas): void {
  if (typeof value !== 'object' || value === null) return;
  const { properties = {} } = value as { properties?: Record<string, Schema> };
  for (const property of Object.values(properties)) {
    if (property.$ref === undefined || property.description !== undefined) continue;
    const description = schemaNamed(refName(property), schemas).description;
    if (description !== undefined) Object.assign(property, { description });
  }
  for (const part of Object.values(value)) describeReferences(part, schemas);
}

/** The events in the order of `webhooks`, once all places that list them have been found to agree. */
function eventSchemas({ webhooks, components: { schemas } }: Contract): EventSchema[] {
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const name = refName(post.requestBody.content['application/json'].schema);
    const schema = schemaNamed(name, schemas);
    if (schema.properties?.type?.const !== type) throw new Error(`${name} is not of type ${type}`);
    return { type, name, schema };
  });
  const types = events.map(({ type }) => type).toSorted();
  const listed = (schemaNamed('EventType', schemas).enum ?? []).toSorted();
  if (!isDeepStrictEqual(types, listed)) throw new Error('webhooks and EventType differ');
  return events;
}

/** The properties that stand in every event with the same meaning. */
function sharedProperties(events: readonly EventSchema[]): Readonly<Record<string, Schema>> {
  const [first, ...others] = events;
  const properties = Object.entries(first?.schema.properties ?? {});
  return Object.fromEntries(
    properties.filter(
      ([name, property]) =>
        first?.schema.required?.includes(name) &&
        others.every(
          ({ schema }) =>
            schema.required?.includes(name) &&
            isDeepStrictEqual(schema.properties?.[name], property),
        ),
    ),
  );
}

/** The verifier copies the mark of test events from `context`. */
const testMark: Schema = {
  description:
    '`true` for a test event, as in `context.test`; missing otherwise. Set by the verifier.',
  const: true,
};

function envelopeSchema(properties: Readonly<Record<string, Schema>>): Schema {
  return {
    description: 'The properties of every event, without `type` and `data`.',
    properties: { ...properties, test: testMark },
    required: Object.keys(properties),
  };
}

/** Names of all schemas that the events refer to, a name after those it needs. */
function reachable(events: readonly EventSchema[], schemas: Schemas) {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('$ref' in value) {
      const name = refName(value as Schema);
      if (!found.has(name)) {
        visit(schemaNamed(name, schemas));
        found.add(name);
      }
    }
    for (const part of Object.values(value)) visit(part);
  };
  for (const { schema } of events) visit(schema);
  return [...found];
}

function eventText({ name, schema }: EventSchema, envelope: Readonly<Record<string, Schema>>) {
  const own = Object.entries(schema.properties ?? {}).filter(
    ([property]) => !(property in envelope),
  );
  return interfaceText(
    name,
    { ...schema, properties: Object.fromEntries(own) },
    { base: 'EventEnvelope' },
  );
}

function mapText(events: readonly EventSchema[]): string {
  const lines = events.map(
    ({ type, name, schema }) => `${comment(schema.description, '  ')}  '${type}': ${name};\n`,
  );
  return `/** The events by their type. */\nexport interface WebhookEventMap {\n${lines.join('')}}\n`;
}
