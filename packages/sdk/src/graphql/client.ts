import type { DocumentVault } from '../client.ts';
import type * as gql from '../generated/graphql.ts';
import * as documents from '../generated/graphql-documents.ts';
import type { PageQuery } from '../generated/types.ts';
import { accessOf, type ClientAccess } from '../http/access.ts';
import { graphqlPath } from '../http/graphql-budget.ts';
import type { CallOptions } from '../options.ts';
import type { Page } from '../page-iteration.ts';
import { type ListOptions, listOf } from '../pages.ts';
import {
  documentText,
  type GraphqlCallOptions,
  type GraphqlList,
  type GraphqlPromise,
  perform,
  type TypedDocument,
} from './request.ts';

/** Variables are optional when none is required. */
type Rest<Variables> =
  Record<string, never> extends Variables
    ? [variables?: Variables, options?: GraphqlCallOptions]
    : [variables: Variables, options?: GraphqlCallOptions];

/** Filters and order of a webhook's deliveries. */
export type DeliveriesQuery = Omit<gql.WebhookWithDeliveriesQueryVariables, 'id'>;

/** The one field of a prepared document. */
type Field<Result> = NonNullable<Result[keyof Result]>;

/**
 * Creates the GraphQL client of a `DocumentVault`, with its credentials, session, retries, timeouts and
 * hooks.
 *
 * @throws UsageError when `client` is not a `DocumentVault`
 * @example
 * const gql = createGraphql(client);
 * const { name } = await gql.me();
 */
export function createGraphql(client: DocumentVault): Graphql {
  return new Graphql(client);
}

/**
 * GraphQL over the transport of a client. Each field of the schema has a method of the same name, which
 * selects every property of an object except its lists. `request` sends any other document. They throw
 * the same errors as the methods of `DocumentVault`.
 */
export class Graphql {
  /** URL of the GraphQL endpoint. */
  readonly url: string;
  readonly #access: ClientAccess;

  /** @throws UsageError when `client` is not a `DocumentVault` */
  constructor(client: DocumentVault) {
    this.#access = accessOf(client);
    this.url = this.#access.baseUrl + graphqlPath;
  }

  /**
   * Sends a document and returns its `data`. A typed document has the types of its variables and its
   * result.
   *
   * @throws GraphqlError when any field failed; {@link partialData} returns the others
   * @example
   * const { me } = await gql.request<{ me: { name: string } }>('{ me { name } }');
   */
  request<Result, Variables>(
    document: TypedDocument<Result, Variables>,
    ...rest: Rest<Variables>
  ): GraphqlPromise<Result>;
  /** Sends the text of a document. You declare the types of its result and, if you like, its variables. */
  request<Result = Record<string, unknown>, Variables extends object = Record<string, unknown>>(
    document: string,
    variables?: Variables,
    options?: GraphqlCallOptions,
  ): GraphqlPromise<Result>;
  request(
    document: unknown,
    variables?: object,
    options?: GraphqlCallOptions,
  ): GraphqlPromise<unknown> {
    const operation = () => ({ query: documentText(document), variables, options });
    return perform(this.#access, operation, (data) => data);
  }

  /** Returns the user that the credentials belong to. Needs the scope `users:read`. */
  me(options?: CallOptions): GraphqlPromise<gql.User> {
    return this.#ask(documents.me, {}, options);
  }

  /** Lists the vaults of the account. Needs the scope `vaults:read`. */
  vaults(query: gql.VaultsQueryVariables = {}, options?: ListOptions): GraphqlList<gql.Vault> {
    return this.#list(documents.vaults, query, options);
  }

  /** Returns a vault. Needs the scope `vaults:read`. */
  vault(id: string, options?: CallOptions): GraphqlPromise<gql.Vault> {
    return this.#ask(documents.vault, { id }, options);
  }

  /** Creates an empty, active vault. Needs the scope `vaults:write`. */
  createVault(input: gql.CreateVaultInput, options?: CallOptions): GraphqlPromise<gql.Vault> {
    return this.#ask(documents.createVault, { input }, options);
  }

  /** Changes the given fields. Needs the scope `vaults:write`. */
  updateVault(
    id: string,
    input: gql.UpdateVaultInput,
    options?: CallOptions,
  ): GraphqlPromise<gql.Vault> {
    return this.#ask(documents.updateVault, { id, input }, options);
  }

  /**
   * Deletes the vault with its documents and their shares, and returns its id. Needs the scope
   * `vaults:write`.
   */
  deleteVault(id: string, options?: CallOptions): GraphqlPromise<string> {
    return this.#ask(documents.deleteVault, { id }, options);
  }

  /**
   * Lists the documents of the account, of all its vaults or of one, without their content. Needs the scope
   * `documents:read`.
   */
  documents(
    query: gql.DocumentsQueryVariables = {},
    options?: ListOptions,
  ): GraphqlList<gql.Document> {
    return this.#list(documents.documents, query, options);
  }

  /**
   * Returns a document without its content. Needs the scope `documents:read`.
   */
  document(id: string, options?: CallOptions): GraphqlPromise<gql.Document> {
    return this.#ask(documents.document, { id }, options);
  }

  /** Renames a document, or moves it to another vault. Needs the scope `documents:write`. */
  updateDocument(
    id: string,
    input: gql.UpdateDocumentInput,
    options?: CallOptions,
  ): GraphqlPromise<gql.Document> {
    return this.#ask(documents.updateDocument, { id, input }, options);
  }

  /**
   * Creates a share of a document. Only this call returns its token. Needs the scope
   * `documents:share`.
   */
  shareDocument(
    documentId: string,
    input?: gql.ShareDocumentInput,
    options?: CallOptions,
  ): GraphqlPromise<gql.CreatedShare> {
    return this.#ask(documents.shareDocument, { documentId, input }, options);
  }

  /** Lists the instances that the caller may see. Needs the scope `instances:read`. */
  instances(
    query: gql.InstancesQueryVariables = {},
    options?: ListOptions,
  ): GraphqlList<gql.Instance> {
    return this.#list(documents.instances, query, options);
  }

  /**
   * Lists the consents of the account, including revoked and expired ones. Needs the scope
   * `consents:read`.
   */
  consents(
    query: gql.ConsentsQueryVariables = {},
    options?: ListOptions,
  ): GraphqlList<gql.Consent> {
    return this.#list(documents.consents, query, options);
  }

  /** Records a consent. Needs the scope `consents:write`. */
  createConsent(input: gql.CreateConsentInput, options?: CallOptions): GraphqlPromise<gql.Consent> {
    return this.#ask(documents.createConsent, { input }, options);
  }

  /** Changes, revokes or renews a consent. Needs the scope `consents:write`. */
  updateConsent(
    id: string,
    input: gql.UpdateConsentInput,
    options?: CallOptions,
  ): GraphqlPromise<gql.Consent> {
    return this.#ask(documents.updateConsent, { id, input }, options);
  }

  /** Lists the webhooks of the account. Needs the scope `webhooks:read`. */
  webhooks(
    query: gql.WebhooksQueryVariables = {},
    options?: ListOptions,
  ): GraphqlList<gql.Webhook> {
    return this.#list(documents.webhooks, query, options);
  }

  /** Returns a webhook. Needs the scope `webhooks:read`. */
  webhook(id: string, options?: CallOptions): GraphqlPromise<gql.Webhook> {
    return this.#ask(documents.webhook, { id }, options);
  }

  /** Returns a webhook with one page of its deliveries. Needs the scope `webhooks:read`. */
  webhookWithDeliveries(
    id: string,
    deliveries: DeliveriesQuery = {},
    options?: CallOptions,
  ): GraphqlPromise<gql.WebhookWithDeliveries> {
    return this.#ask(documents.webhookWithDeliveries, { ...deliveries, id }, options);
  }

  /** Registers a URL that receives events. Needs the scope `webhooks:write`. */
  createWebhook(
    input: gql.CreateWebhookInput,
    options?: CallOptions,
  ): GraphqlPromise<gql.CreatedWebhook> {
    return this.#ask(documents.createWebhook, { input }, options);
  }

  /**
   * Changes the given fields. Needs the scope `webhooks:write`.
   */
  updateWebhook(
    id: string,
    input: gql.UpdateWebhookInput,
    options?: CallOptions,
  ): GraphqlPromise<gql.Webhook> {
    return this.#ask(documents.updateWebhook, { id, input }, options);
  }

  /**
   * Deletes the webhook with its pending deliveries and its log, and returns its id. Needs the
   * scope `webhooks:write`.
   */
  deleteWebhook(id: string, options?: CallOptions): GraphqlPromise<string> {
    return this.#ask(documents.deleteWebhook, { id }, options);
  }

  /** Starts one new attempt of a delivery at once. Needs the scope `webhooks:write`. */
  retryDelivery(
    webhookId: string,
    deliveryId: string,
    options?: CallOptions,
  ): GraphqlPromise<gql.Delivery> {
    return this.#ask(documents.retryDelivery, { webhookId, deliveryId }, options);
  }

  #ask<Result extends object, Variables extends object>(
    document: TypedDocument<Result, Variables>,
    variables: Variables,
    options: CallOptions | undefined,
  ): GraphqlPromise<Field<Result>> {
    const operation = { query: String(document), variables, options };
    const field = (data: Result) => Object.values(data)[0] as Field<Result>;
    return perform(this.#access, () => operation, field);
  }

  #list<Name extends string, T extends { id: string }, Variables extends object>(
    document: TypedDocument<Record<Name, Page<T>>, Variables>,
    variables: Variables,
    options: ListOptions = {},
  ): GraphqlList<T> {
    const list = listOf<T>({
      // GraphQL treats null like a missing variable.
      query: variables as PageQuery,
      options,
      load: (query, given = options) => this.#ask(document, query as Variables, given),
      id: ({ id }) => id,
    });
    // Its responses are those of `load`.
    return list as GraphqlList<T>;
  }
}
