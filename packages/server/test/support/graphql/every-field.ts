import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { createSchema } from '../../../src/graphql/schema.ts';
import { createResources, type ResourceIds } from '../owned-resources.ts';
import type { Caller, TestServer } from '../server.ts';
import { secret } from '../webhook-events.ts';

// Generates a query for every path through the schema to a field that needs a scope.

const schema = createSchema();

/** Arguments of the root fields. A new root field fails the tests until it is listed here. */
const rootArguments: Readonly<Record<string, (ids: Ids) => string>> = {
  'Query.me': () => '',
  'Query.vaults': () => '',
  'Query.vault': ({ vaultId }) => `(id: "${vaultId}")`,
  'Query.documents': ({ vaultId }) => `(vaultId: "${vaultId}")`,
  'Query.document': ({ documentId }) => `(id: "${documentId}")`,
  'Query.instances': () => '',
  'Query.consents': () => '',
  'Query.webhooks': () => '',
  'Query.webhook': ({ webhookId }) => `(id: "${webhookId}")`,
  'Mutation.createVault': () => '(input: { name: "New" })',
  'Mutation.updateVault': ({ vaultId }) => `(id: "${vaultId}", input: { name: "Changed" })`,
  'Mutation.updateDocument': ({ documentId }) =>
    `(id: "${documentId}", input: { fileName: "changed" })`,
  'Mutation.shareDocument': ({ documentId }) => `(documentId: "${documentId}")`,
  'Mutation.createConsent': () => '(input: { purpose: "New", grantedTo: "Linden" })',
  'Mutation.updateConsent': ({ consentId }) => `(id: "${consentId}", input: { status: revoked })`,
  'Mutation.createWebhook': () =>
    `(input: { url: "http://127.0.0.1:9/", events: ["vault.created"], secret: "${secret}" })`,
  'Mutation.updateWebhook': ({ webhookId }) => `(id: "${webhookId}", input: { active: false })`,
  'Mutation.retryDelivery': ({ webhookId, deliveryId }) =>
    `(webhookId: "${webhookId}", deliveryId: "${deliveryId}")`,
  'Mutation.deleteWebhook': ({ webhookId }) => `(id: "${webhookId}")`,
  'Mutation.deleteVault': ({ vaultId }) => `(id: "${vaultId}")`,
};

/** Page sizes of nested lists, so that no route exceeds the limit of result fields. */
const nestedArguments: Readonly<Record<string, string>> = {
  'Vault.documents': '(pageSize: 5)',
  'Document.shares': '(pageSize: 5)',
  'Webhook.deliveries': '(pageSize: 5)',
};

/** Fields that need no scope of their own, although they are objects or have a resolver. */
const parts = new Set([
  'VaultPage.data',
  'DocumentPage.data',
  'SharePage.data',
  'InstancePage.data',
  'ConsentPage.data',
  'WebhookPage.data',
  'DeliveryPage.data',
  'VaultPage.pagination',
  'DocumentPage.pagination',
  'SharePage.pagination',
  'InstancePage.pagination',
  'ConsentPage.pagination',
  'WebhookPage.pagination',
  'DeliveryPage.pagination',
  'Document.encryptionMetadata',
  'EncryptionMetadata.iterations',
  'EncryptionMetadata.raw',
  'CreatedWebhook.stats',
  'Webhook.stats',
  'User.usage',
  'AccountUsage.bytes',
  'AccountUsage.vaults',
  'AccountUsage.documents',
  'AccountUsage.shares',
  'AccountUsage.consents',
  'AccountUsage.keys',
  'AccountUsage.webhooks',
  'AccountUsage.uploads',
  'AccountUsage.clients',
]);

export type Ids = Pick<
  ResourceIds,
  'vaultId' | 'documentId' | 'webhookId' | 'deliveryId' | 'consentId'
>;

interface Step {
  readonly type: string;
  readonly field: string;
  readonly place: string;
  /** From the description of the field. */
  readonly scope: string | undefined;
  readonly fieldType: GraphQLNamedType;
}

/** Creates one resource of each type. The delivery waits for its next attempt. */
export async function createWithWaitingDelivery(
  server: TestServer,
  call: Caller,
): Promise<ResourceIds> {
  const resources = await createResources(server, call);
  const path = `/api/v1/webhooks/${resources.webhookId}/deliveries?status=retrying`;
  const [delivery] = (await call('GET', path)).body.data;
  return { ...resources, deliveryId: delivery.id };
}

/** Steps from a root field to a field that needs a scope. */
export type Route = readonly [Step, ...Step[]];

/** Writes the selection of the last field of a route. */
export type FieldForm = (field: {
  readonly name: string;
  /** Arguments with brackets, or an empty string. */
  readonly args: string;
  readonly selection: string;
  /** Name of the type that has the field. */
  readonly type: string;
}) => { readonly text: string; readonly fragments?: string; readonly variables?: string };

export const plain: FieldForm = ({ name, args, selection }) => ({ text: name + args + selection });

/** The scope that a field needs, from its description. */
function scopeOf({ description }: GraphQLField<unknown, unknown>): string | undefined {
  return /\bNeeds\s+`(\w+:\w+)`/.exec(description ?? '')?.[1];
}

function fieldsOf(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields());
}

/** Fields with their own arguments, resolver or object type that have no scope and are not in `parts`. */
export function unlisted(): string[] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) =>
      fieldsOf(type)
        .filter((field) => {
          const isRoot = type.name === 'Query' || type.name === 'Mutation';
          const isValue = isLeafType(getNamedType(field.type)) && field.args.length === 0;
          return isRoot || !isValue || field.resolve;
        })
        .map((field) => ({ place: `${type.name}.${field.name}`, field }))
        .filter(({ place, field }) => !(parts.has(place) || scopeOf(field)))
        .map(({ place }) => place),
    );
}

/** All routes from a root, sorted as in `rootArguments`: mutations that delete come last. */
export function everyRoute(root: 'Query' | 'Mutation'): Route[] {
  const type = schema.getType(root);
  if (!isObjectType(type)) throw new Error(`There is no ${root}.`);
  const names = Object.keys(rootArguments);
  return routesFrom(type, []).toSorted(
    ([a], [b]) => names.indexOf(a.place) - names.indexOf(b.place),
  );
}

function routesFrom(type: GraphQLObjectType, before: readonly Step[]): Route[] {
  return fieldsOf(type).flatMap((field) => {
    const place = `${type.name}.${field.name}`;
    if (before.some((step) => step.place === place && step.scope)) return [];
    const fieldType = getNamedType(field.type);
    const scope = scopeOf(field);
    const step = { type: type.name, field: field.name, place, scope, fieldType };
    const [first = step, ...others] = [...before, step];
    const here: Route[] = scope ? [[first, ...others]] : [];
    return isObjectType(fieldType) ? [...here, ...routesFrom(fieldType, [first, ...others])] : here;
  });
}

/** The scopes that a route needs. */
export function scopesOf(route: Route): string[] {
  return [...new Set(route.flatMap(({ scope }) => scope ?? []))];
}

/** Selects all values and parts of an object. */
function everyValueOf({ fieldType }: Pick<Step, 'fieldType'>): string {
  if (!isObjectType(fieldType)) return '';
  const own = fieldsOf(fieldType).filter(({ name, args, type }) => {
    const isValue = isLeafType(getNamedType(type)) && args.length === 0;
    return isValue || parts.has(`${fieldType.name}.${name}`);
  });
  const selected = own.map(
    ({ name, type }) => name + everyValueOf({ fieldType: getNamedType(type) }),
  );
  return ` { ${selected.join(' ')} }`;
}

/** A document that selects the last field of a route with all its values, and no other field. */
export function documentFor(route: Route, ids: Ids, form: FieldForm = plain): string {
  const [root] = route;
  const rootArgs = rootArguments[root.place];
  if (!rootArgs) throw new Error(`${root.place} must be listed in rootArguments`);
  const args = (step: Step) =>
    step === root ? rootArgs(ids) : (nestedArguments[step.place] ?? '');
  const last = route.at(-1) ?? root;
  const { text, fragments, variables } = form({
    name: last.field,
    args: args(last),
    selection: everyValueOf(last),
    type: last.type,
  });
  const selection = route
    .slice(0, -1)
    .reduceRight((inner, step) => `${step.field}${args(step)} { ${inner} }`, text);
  return `${root.type.toLowerCase()}${variables ?? ''} { ${selection} } ${fragments ?? ''}`;
}
