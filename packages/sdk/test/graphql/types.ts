/**
 * What the compiler knows of GraphQL calls. There is nothing to run: the type check of this folder
 * fails where a line that is to be refused is not.
 */
import type { ApiError, Page } from '@document-vault/sdk';
import {
  documents,
  type Graphql,
  type GraphqlCost,
  isGraphqlError,
  type TypedDocument,
  type Vault,
  type Webhook,
} from '@document-vault/sdk/graphql';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function expectTrue<_T extends true>(): void {}

declare const gql: Graphql;
declare const own: TypedDocument<{ me: { id: string } }, { at?: string }>;
declare const counted: TypedDocument<{ me: { id: string } }, { count: number }>;

export async function results(): Promise<void> {
  const vault = await gql.createVault({ name: 'Taxes' });
  expectTrue<Equal<typeof vault, Vault>>();
  const page = await gql.webhooks();
  expectTrue<Equal<typeof page, Page<Webhook>>>();
  for await (const item of gql.webhooks()) expectTrue<Equal<typeof item, Webhook>>();
  const found = await gql.request(documents.vault, { id: '1' });
  expectTrue<Equal<typeof found.vault, Vault | null>>();
  const { data, cost } = await gql.request(own).withResponse();
  expectTrue<Equal<typeof data, { me: { id: string } }>>();
  expectTrue<Equal<typeof cost, GraphqlCost | undefined>>();
  const free = await gql.request<{ a: number }>('{ a }', { any: 'thing' });
  expectTrue<Equal<typeof free.a, number>>();
  // @ts-expect-error a field that vaults do not have
  vault.colour;
  // @ts-expect-error a field that the document does not ask for
  found.documents;
}

export function variables(): void {
  gql.request(own);
  gql.request(own, { at: 'now' });
  gql.request(documents.me);
  // @ts-expect-error needs variables
  gql.request(counted);
  // @ts-expect-error of the wrong type
  gql.request(counted, { count: 'one' });
  // @ts-expect-error of the wrong name
  gql.request(documents.vault, { name: '1' });
  // @ts-expect-error needs a name
  gql.createVault({});
  // @ts-expect-error takes no such field
  gql.createVault({ name: 'Taxes', colour: 'red' });
  // @ts-expect-error no such order
  gql.vaults({ sortBy: 'colour' });
  // @ts-expect-error no document
  gql.request({ text: '{ me }' });
}

export async function declared(): Promise<void> {
  // As in graphql-request.
  const found = await gql.request<{ me: { name: string } }, { at: string }>('{ me { name } }', {
    at: 'now',
  });
  expectTrue<Equal<typeof found.me.name, string>>();
  // @ts-expect-error no such variable
  gql.request<{ me: { name: string } }, { at: string }>('{ me { name } }', { on: 'now' });
}

export function errors(error: unknown): ApiError | undefined {
  if (!isGraphqlError(error)) return undefined;
  expectTrue<Equal<typeof error.fieldPath, (string | number)[] | undefined>>();
  return error;
}
