import type { ResourceIds } from '../support/owned-resources.ts';
import { secret } from '../support/webhook-events.ts';

type Fields = Readonly<Record<string, unknown>>;
/** One of each resource, and a second vault. */
export type Fixture = ResourceIds & { readonly otherVaultId: string };

/** One change, over REST and GraphQL. */
export interface Change {
  readonly name: string;
  readonly rest: readonly [method: string, path: string];
  readonly field: string;
  /** Arguments of the field, without the input. */
  readonly args?: Fields;
  /** Body over REST and input over GraphQL. */
  readonly input?: Fields;
}

const url = 'http://127.0.0.1:9/hook';
const webhook = { url, events: ['vault.created'], secret };
const consent = { purpose: 'Tax return', grantedTo: 'Linden Tax Advisers' };
const later = '2026-02-01T00:00:00.000Z';

type Inputs = Readonly<Record<string, readonly Fields[]>>;

/** Inputs that are accepted. Some equal the current values. */
const acceptedInputs = {
  createVault: [
    { name: '  Taxes ' },
    { name: 'ä'.repeat(120), description: '', category: 'a0_-' },
    { name: 'x', description: null, category: null },
  ],
  updateVault: [
    { name: 'New' },
    { description: 'new', category: 'health', isActive: false },
    { description: null },
    { name: 'Of the owner' },
  ],
  updateDocument: [
    { fileName: 'new.pdf' },
    { mimeType: 'text/plain' },
    { fileName: 'of-the-owner' },
  ],
  shareDocument: [
    {},
    { expiresAt: later, maxAccessCount: 3, access: 'anyone', permissions: ['read'] },
    { maxAccessCount: null },
  ],
  createConsent: [
    consent,
    {
      ...consent,
      description: 'x',
      scopes: ['a', 'b'],
      expiresAt: later,
      metadata: { a: [1, { b: null }] },
    },
  ],
  updateConsent: [
    { status: 'revoked', reason: 'Filed' },
    { expiresAt: later },
    { description: 'new', metadata: null },
    { status: 'granted' },
  ],
  createWebhook: [
    webhook,
    { ...webhook, description: 'x', headers: { 'X-Own': 'y' }, active: false, metadata: { a: 1 } },
  ],
  updateWebhook: [
    { active: false },
    { events: ['vault.deleted'], description: 'x', headers: { 'X-Own': 'y' } },
    { headers: null, metadata: null },
  ],
} as const satisfies Inputs;

/** Inputs that the contract or the domain rejects. */
const rejectedInputs = {
  createVault: [
    { name: '' },
    { name: ' \n ' },
    { name: '\u3164' },
    { name: 'x'.repeat(121) },
    { name: 'nul \0' },
    { name: 'x', category: 'Ä', description: 'x'.repeat(2001) },
    { name: 'x', description: 'nul \0' },
  ],
  updateVault: [{}, { name: null }, { isActive: null }, { category: '' }],
  updateDocument: [
    { fileName: 'a/b' },
    { fileName: '' },
    { mimeType: 'nothing' },
    { vaultId: 'unknown' },
    {},
  ],
  shareDocument: [
    { expiresAt: '2025-01-01T00:00:00Z' },
    { expiresAt: '2028-01-01T00:00:00Z' },
    { expiresAt: 'tomorrow' },
    { maxAccessCount: 0 },
    { maxAccessCount: 1_000_001 },
    { permissions: [] },
  ],
  createConsent: [
    { ...consent, purpose: '' },
    { ...consent, purpose: 'x'.repeat(201) },
    { ...consent, expiresAt: '2025-01-01T00:00:00Z' },
    { ...consent, expiresAt: '2026-02-30T00:00:00Z' },
    { ...consent, metadata: 'text' },
    { ...consent, metadata: { large: 'x'.repeat(100_000) } },
  ],
  updateConsent: [
    { reason: 'alone' },
    { status: 'revoked', expiresAt: later },
    { expiresAt: '2025-01-01T00:00:00Z' },
    {},
  ],
  createWebhook: [
    { ...webhook, url: 'ftp://example.com' },
    { ...webhook, url: 'http://169.254.169.254/' },
    { ...webhook, events: [] },
    { ...webhook, events: ['vault.painted'] },
    { ...webhook, secret: 'short' },
    { ...webhook, headers: { Host: 'x' } },
    { ...webhook, headers: { 'X-Own': 7 } },
    { ...webhook, url: 'x', secret: 'short', events: [] },
  ],
  updateWebhook: [
    { url: 'nowhere' },
    { secret: 'short' },
    { headers: { 'X-Service-Own': 'y' } },
    {},
  ],
} as const satisfies Inputs;

const v1 = '/api/v1';

/** Every change of both interfaces, once with each of the inputs. */
function withInputs(inputs: Inputs, fixture: Fixture): Change[] {
  const { vaultId, documentId, consentId, webhookId } = fixture;
  const targets: Readonly<Record<string, readonly [Change['rest'], Fields]>> = {
    createVault: [['POST', `${v1}/vaults`], {}],
    updateVault: [['PUT', `${v1}/vaults/${vaultId}`], { id: vaultId }],
    updateDocument: [['PUT', `${v1}/documents/${documentId}`], { id: documentId }],
    shareDocument: [['POST', `${v1}/documents/${documentId}/share`], { documentId }],
    createConsent: [['POST', `${v1}/consents`], {}],
    updateConsent: [['PUT', `${v1}/consents/${consentId}`], { id: consentId }],
    createWebhook: [['POST', `${v1}/webhooks`], {}],
    updateWebhook: [['PUT', `${v1}/webhooks/${webhookId}`], { id: webhookId }],
  };
  return Object.entries(targets).flatMap(([field, [rest, args]]) =>
    (inputs[field] ?? []).map((input) => {
      return { name: `${field} ${JSON.stringify(input).slice(0, 60)}`, rest, field, args, input };
    }),
  );
}

function deletion(kind: string, field: string, id: string): Change {
  const rest = ['DELETE', `${v1}/${kind}/${id}`] as const;
  return { name: `${field} ${id === 'unknown' ? id : ''}`, rest, field, args: { id } };
}

function retry(webhookId: string, deliveryId: string): Change {
  const rest = ['POST', `${v1}/webhooks/${webhookId}/deliveries/${deliveryId}/retry`] as const;
  const name = webhookId === 'unknown' ? 'retryDelivery unknown' : 'retryDelivery';
  return { name, rest, field: 'retryDelivery', args: { webhookId, deliveryId } };
}

/** Changes that are accepted. */
export function acceptedChanges(fixture: Fixture): Change[] {
  const { vaultId, otherVaultId, documentId, webhookId, deliveryId } = fixture;
  return [
    // First, while its webhook is active.
    retry(webhookId, deliveryId),
    ...withInputs(acceptedInputs, fixture),
    {
      name: 'a move into another vault',
      rest: ['PUT', `${v1}/documents/${documentId}`],
      field: 'updateDocument',
      args: { id: documentId },
      input: { vaultId: otherVaultId },
    },
    deletion('vaults', 'deleteVault', vaultId),
    deletion('webhooks', 'deleteWebhook', webhookId),
  ];
}

/** Changes that are rejected. */
export function rejectedChanges(fixture: Fixture): Change[] {
  return [
    ...withInputs(rejectedInputs, fixture),
    deletion('vaults', 'deleteVault', 'unknown'),
    deletion('webhooks', 'deleteWebhook', 'unknown'),
    retry('unknown', 'unknown'),
    retry(fixture.webhookId, 'unknown'),
  ];
}
