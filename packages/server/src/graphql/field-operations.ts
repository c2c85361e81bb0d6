import { contractOperations, type Operation, type OperationId } from '../contract/contract.ts';
import { createRequestValidator, type RequestValidator } from '../contract/validation.ts';
import type { Actor } from '../domain/actor.ts';

/** The operation of the contract that does what a field does: its scopes and its rules are the field's. */
const operationOfField: Readonly<Record<string, OperationId>> = {
  'Query.me': 'getCurrentUser',
  'Query.vaults': 'listVaults',
  'Query.vault': 'getVault',
  'Query.documents': 'listDocuments',
  'Query.document': 'getDocument',
  'Query.instances': 'listInstances',
  'Query.consents': 'listConsents',
  'Query.webhooks': 'listWebhooks',
  'Query.webhook': 'getWebhook',
  'Mutation.createVault': 'createVault',
  'Mutation.updateVault': 'updateVault',
  'Mutation.deleteVault': 'deleteVault',
  'Mutation.updateDocument': 'updateDocument',
  'Mutation.shareDocument': 'shareDocument',
  'Mutation.createConsent': 'createConsent',
  'Mutation.updateConsent': 'updateConsent',
  'Mutation.createWebhook': 'createWebhook',
  'Mutation.updateWebhook': 'updateWebhook',
  'Mutation.deleteWebhook': 'deleteWebhook',
  'Mutation.retryDelivery': 'retryDelivery',
  'Vault.documents': 'listDocuments',
  'Document.vault': 'getVault',
  'Document.shares': 'listDocumentShares',
  'Webhook.deliveries': 'listDeliveries',
};

export interface FieldOperation {
  /** The scopes that these credentials need. */
  scopesFor(actor: Pick<Actor, 'keyId'>): readonly string[];
  /**
   * The arguments as the contract wants them, with its defaults.
   * @throws ServiceError VALIDATION_ERROR, as the operation answers it
   */
  approve(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** By type and field: `Query.vaults`. A field that is none reads what its parent holds already. */
export const fieldOperations: ReadonlyMap<string, FieldOperation> = new Map(
  Object.entries(operationOfField).map(([field, id]) => {
    const operation = contractOperations.find((candidate) => candidate.id === id);
    if (!operation) throw new Error(`${field} stands for ${id}, which is not in the contract`);
    return [field, toFieldOperation(operation)];
  }),
);

function toFieldOperation(operation: Operation): FieldOperation {
  const validator = createRequestValidator(operation);
  const takesQuery = operation.parameters.some((parameter) => parameter.in === 'query');
  return {
    scopesFor: ({ keyId }) => operation.schemes.get(keyId === null ? 'bearer' : 'apiKey') ?? [],
    approve: (args) => ({
      ...args,
      ...(takesQuery && approveQuery(validator, args)),
      ...(operation.body !== 'none' && { input: validator.body(args.input ?? {}) }),
    }),
  };
}

/** In a query of REST there is no null: what is null is not there. */
function approveQuery(validator: RequestValidator, args: Readonly<Record<string, unknown>>) {
  const given = Object.entries(args).filter(([, value]) => value !== null);
  return validator.query(Object.fromEntries(given));
}
