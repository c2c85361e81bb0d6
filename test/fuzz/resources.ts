import { exampleBytes } from '../../packages/server/test/support/request-fields.ts';
import type { Subject } from './server.ts';

/** Resources that requests can name, and an access token. */
export interface Resources {
  readonly accessToken: string;
  /** Values of path parameters by the segment before them. */
  readonly ids: Readonly<Record<string, string>>;
}

const encryptionMetadata = {
  algorithm: 'AES-256-GCM',
  keyDerivation: 'PBKDF2',
  iterations: 600_000,
  salt: 'K8mQBZRzRI5uvUQqoWv6oA==',
  iv: 'NnEGZNYbkpXlQl/w',
  authTag: 'nM3qSMMl6cDfwAXBfDpN5g==',
};

/** The URL of webhooks. Nothing listens there. */
export const unreachable = 'http://127.0.0.1:9/';

/** Creates one resource of each kind. */
export async function createResources({ url, apiKey, account }: Subject): Promise<Resources> {
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  async function post(path: string, body: object): Promise<any> {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
  const { accessToken } = await post('/auth/login', account);
  const vault = await post('/api/v1/vaults', { name: 'Taxes' });
  const document = await post('/api/v1/documents', {
    vaultId: vault.id,
    fileName: 'letter.pdf',
    encryptedData: 'AAAA',
    sizeBytes: 3,
    mimeType: 'application/pdf',
    encryptionMetadata,
  });
  const share = await post(`/api/v1/documents/${document.id}/share`, { access: 'anyone' });
  const opened = await fetch(`${url}/shares/${share.shareToken}`);
  const { contentUrl } = (await opened.json()) as { readonly contentUrl: string };
  // Inputs open uploads too, and an account has at most 20.
  const upload = await post('/api/v1/uploads', {
    vaultId: vault.id,
    sizeBytes: exampleBytes.length,
  }).catch(() => ({ id: 'missing' }));
  const webhook = await post('/api/v1/webhooks', {
    url: unreachable,
    events: ['vault.created'],
    secret: 'whsec_example_0123456789abcdefghijklmnop',
  });
  const consent = await post('/api/v1/consents', { purpose: 'Tax return', grantedTo: 'Advisers' });
  const client = await createClient(url, accessToken);
  return {
    accessToken,
    ids: {
      vaults: vault.id,
      documents: document.id,
      share: share.shareToken,
      shares: share.id,
      contents: contentUrl.split('/').at(-1) ?? '',
      uploads: upload.id,
      parts: '0',
      webhooks: webhook.id,
      consents: consent.id,
      clients: client.clientId,
    },
  };
}

/** A signed-in user creates clients; inputs create some too, and an account may have few. */
async function createClient(url: string, accessToken: string): Promise<{ clientId: string }> {
  const response = await fetch(`${url}/api/v1/oauth/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({
      name: 'Tax Assistant',
      type: 'public',
      redirectUris: ['https://tax.example.com/callback'],
      scopes: ['vaults:read'],
    }),
  });
  return response.ok ? response.json() : { clientId: 'missing' };
}

/** Fills a path template with ids. `other` replaces parameters without an existing resource. */
export function pathInto({ ids }: Resources, template: string, other: string): string {
  return template.replaceAll(/([^/]+)\/\{[^}]+\}/g, (_, segment: string) => {
    return `${segment}/${ids[segment] ?? encodeURIComponent(other.toWellFormed())}`;
  });
}
