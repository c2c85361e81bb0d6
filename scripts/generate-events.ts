/**
 * Prints the event types of the webhook verifier from the `webhooks` section of the contract: as
 * interfaces with names, which openapi-typescript does not write, because receivers read them.
 */
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

/** The part of JSON Schema that the schemas of events use; anything else is refused. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: string | boolean;
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

interface Contract {
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
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

const header = '// Generated from openapi/ by `npm run generate`. Do not edit.\n';
const lineWidth = 100;
const primitives: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

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
    interfaceText('EventEnvelope', envelopeSchema(envelope), ''),
    ...events.map((event) => eventText(event, envelope)),
    mapText(events),
    `${comment(schemaNamed('EventType', schemas).description, '')}export type EventType = keyof WebhookEventMap;\n`,
    '/** Any of the events; `type` names it. */\nexport type WebhookEvent = WebhookEventMap[EventType];\n',
  ].join('\n');
}

/** Gives properties that only refer to a schema the description of that schema. */
function describeReferences(value: unknown, schemas: Contract['components']['schemas']): void {
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
function reachable(events: readonly EventSchema[], schemas: Contract['components']['schemas']) {
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
  return interfaceText(name, { ...schema, properties: Object.fromEntries(own) }, 'EventEnvelope');
}

function mapText(events: readonly EventSchema[]): string {
  const lines = events.map(
    ({ type, name, schema }) => `${comment(schema.description, '  ')}  '${type}': ${name};\n`,
  );
  return `/** The events by their type. */\nexport interface WebhookEventMap {\n${lines.join('')}}\n`;
}

/** A schema as an interface, one that extends the schema it is composed of, or as a type alias. */
function declaration(name: string, schema: Schema): string {
  if (schema.allOf !== undefined) {
    const [base, extension] = schema.allOf;
    if (schema.allOf.length !== 2 || !base?.$ref || !extension?.properties) {
      throw new Error(`${name}: allOf is understood as a reference and an object`);
    }
    const { description = '' } = schema;
    return interfaceText(name, { ...extension, description }, refName(base));
  }
  if (schema.properties !== undefined) return interfaceText(name, schema, '');
  return `${comment(schema.description, '')}export type ${name} = ${typeText(schema, '', name)};\n`;
}

function interfaceText(name: string, schema: Schema, base: string): string {
  const heritage = base === '' ? '' : ` extends ${base}`;
  return `${comment(schema.description, '')}export interface ${name}${heritage} ${objectText(schema, '', name)}\n`;
}

function objectText(schema: Schema, indent: string, path: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    const type = typeText(property, inner, `${path}.${name}`);
    return `${comment(property.description, inner)}${inner}${name}${optional}: ${type};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

/** A schema as a type expression. */
function typeText(schema: Schema, indent: string, path: string): string {
  if (schema.$ref !== undefined) return refName(schema);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (types === undefined) throw new Error(`${path} has no type`);
  return types.map((type) => namedTypeText(type, schema, { indent, path })).join(' | ');
}

function namedTypeText(
  type: string,
  schema: Schema,
  { indent, path }: { indent: string; path: string },
): string {
  const primitive = primitives[type];
  if (primitive !== undefined) return primitive;
  if (type === 'array' && schema.items !== undefined) {
    const item = typeText(schema.items, indent, `${path}[]`);
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object' && schema.properties !== undefined) return objectText(schema, indent, path);
  if (type === 'object' && schema.additionalProperties === true) return 'Record<string, unknown>';
  throw new Error(`${path}: no translation for this ${type}`);
}

function literal(value: string | boolean | null): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function refName({ $ref = '' }: Schema): string {
  const name = $ref.match(/^#\/components\/schemas\/(\w+)$/)?.[1];
  if (name === undefined) throw new Error(`not a reference to a schema: "${$ref}"`);
  return name;
}

function schemaNamed(name: string, schemas: Contract['components']['schemas']): Schema {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`the contract has no schema ${name}`);
  return schema;
}

/** A description as a documentation comment, on one line where it fits. */
function comment(description: string | undefined, indent: string): string {
  if (!description) return '';
  const text = description.replaceAll('*/', '*\\/');
  const single = `${indent}/** ${text} */\n`;
  if (single.length <= lineWidth + 1 && !text.includes('\n')) return single;
  const lines = wrap(text, lineWidth - indent.length - ' * '.length);
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}
