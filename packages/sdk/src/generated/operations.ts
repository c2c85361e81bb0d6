// Generated from openapi/ by `npm run generate`. Do not edit.

/** What a call does differently because of its operation. */
export interface OperationFacts {
  /** Sent without credentials: the rate limit is that of the address. */
  readonly anonymous?: true;
  /** The call must not be repeated when its response was lost, as its work may have been done. */
  readonly notRepeatable?: true;
  /** A success has the status 204 and no body, as that of each DELETE has. */
  readonly empty?: true;
  /** A success is bytes, which the caller reads. */
  readonly bytes?: true;
  /** Names of the parameters of the query. */
  readonly query?: readonly string[];
}

/** Operations by method and path. An operation without facts has no row, a DELETE is `empty` without one. */
export const operations: Readonly<Record<string, OperationFacts>> = {
  'POST /auth/register': { anonymous: true, notRepeatable: true },
  'POST /auth/login': { anonymous: true, notRepeatable: true },
  'POST /auth/refresh': { anonymous: true },
  'POST /auth/logout': { anonymous: true, empty: true },
  'GET /api/v1/auth/sessions': { query: ['page', 'pageSize', 'sortBy', 'sortOrder'] },
  'GET /.well-known/jwks.json': { anonymous: true },
  'GET /api/v1/api-keys': { query: ['page', 'pageSize', 'sortBy', 'sortOrder', 'account'] },
  'GET /api/v1/oauth/clients': { query: ['page', 'pageSize', 'sortBy', 'sortOrder', 'account'] },
  'GET /api/v1/vaults': { query: ['page', 'pageSize', 'sortBy', 'sortOrder', 'account', 'category', 'isActive', 'search'] },
  'GET /api/v1/vaults/search': { query: ['search', 'page', 'pageSize', 'account'] },
  'GET /api/v1/vault-keys': { query: ['page', 'pageSize', 'vaultId'] },
  'GET /api/v1/documents': { query: ['page', 'pageSize', 'sortBy', 'sortOrder', 'account', 'vaultId', 'mimeType', 'search'] },
  'GET /api/v1/documents/{id}': { query: ['content'] },
  'GET /api/v1/documents/{id}/content': { bytes: true },
  'GET /api/v1/documents/{id}/shares': { query: ['page', 'pageSize', 'sortBy', 'sortOrder'] },
  'GET /api/v1/documents/{id}/shares/{shareId}/accesses': { query: ['page', 'pageSize'] },
  'GET /api/v1/documents/share/{token}': { notRepeatable: true, query: ['content'] },
  'GET /api/v1/contents/{ticket}': { bytes: true },
  'PUT /api/v1/uploads/{id}/parts/{part}': { empty: true },
  'GET /api/v1/instances': { query: ['page', 'pageSize', 'sortBy', 'sortOrder'] },
  'GET /api/v1/instances/statistics': { query: ['account'] },
  'GET /api/v1/instances/{id}/statistics/history': { query: ['from', 'to', 'step'] },
  'GET /api/v1/users': { query: ['page', 'pageSize', 'sortBy', 'sortOrder', 'search', 'tier', 'role', 'status'] },
  'GET /api/v1/consents': { query: ['page', 'pageSize', 'sortBy', 'sortOrder', 'account'] },
  'GET /api/v1/webhooks': { query: ['page', 'pageSize', 'sortBy', 'sortOrder', 'account'] },
  'GET /api/v1/webhooks/{id}/deliveries': { query: ['page', 'pageSize', 'sortBy', 'sortOrder', 'status', 'eventType'] },
  'GET /api/v1/events': { query: ['page', 'pageSize', 'account', 'type', 'since', 'after', 'until'] },
  'GET /openapi/v1.json': { anonymous: true },
};
