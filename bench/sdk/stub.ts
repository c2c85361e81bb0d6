/** The `fetch` of all contestants: returns a vault at once, without a network. */

export type StubFetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>;

export const baseUrl = 'https://vault.example';
export const path = '/api/v1/vaults/0190a6f5-3c4e-7b2a-9d61-5f0c8e7a1b23';
export const url = baseUrl + path;
export const apiKey = `service_sk_${'0'.repeat(40)}`;

export const vault = {
  id: '0190a6f5-3c4e-7b2a-9d61-5f0c8e7a1b23',
  name: 'Taxes',
  description: null,
  category: 'personal',
  userId: '0190a6f5-0000-7b2a-9d61-5f0c8e7a1b23',
  instanceId: '0190a6f5-1111-7b2a-9d61-5f0c8e7a1b23',
  isActive: true,
  documentCount: 3,
  totalSize: 48_213,
  createdAt: '2026-01-05T08:30:00.000Z',
  updatedAt: '2026-02-11T17:02:41.113Z',
};

const text = JSON.stringify(vault);
const headers = {
  'content-type': 'application/json; charset=utf-8',
  date: 'Mon, 16 Feb 2026 10:00:00 GMT',
  'x-request-id': 'req_0190a6f53c4e7b2a9d615f0c8e7a1b23',
  'x-ratelimit-limit': '10000',
  'x-ratelimit-remaining': '9999',
  'x-ratelimit-reset': '1771239600',
};

export const respond = async (): Promise<Response> => new Response(text, { status: 200, headers });
