import { documentOf, newShare } from '../support/resources.ts';
import {
  anonymous,
  document,
  type EventAct,
  hour,
  inAnHour,
  passing,
  put,
  type Resource,
  remove,
  upload,
  vault,
} from './act.ts';

/** A document as in events: no path of this server, and only two fields of its encryption metadata. */
const shown = ({ contentUrl: _, ...returned }: Resource) => ({
  ...returned,
  encryptionMetadata: { algorithm: 'AES-256-GCM', keyDerivation: 'PBKDF2' },
});

export const ofDocuments: EventAct[] = [
  {
    type: 'document.uploaded',
    prepare: vault,
    silent: ({ owner }, { id }) =>
      owner('POST', '/api/v1/documents', { body: documentOf(id, 'x', { sizeBytes: 2 }) }),
    act: upload(10),
    data: (reply) => ({ object: shown(reply) }),
  },
  {
    type: 'document.updated',
    prepare: document,
    silent: put('/api/v1/documents', { fileName: 'letter.pdf' }),
    act: put('/api/v1/documents', { fileName: 'new.pdf' }),
    data: (reply) => ({
      object: shown(reply),
      changes: ['fileName'],
      previous: { fileName: 'letter.pdf' },
    }),
  },
  {
    type: 'document.deleted',
    prepare: document,
    silent: remove('/api/v1/documents', 'unknown'),
    act: remove('/api/v1/documents'),
    data: (_, { id, vaultId }) => ({ object: { id, vaultId } }),
  },
  {
    type: 'document.shared',
    prepare: document,
    silent: ({ owner }, { id }) =>
      owner('POST', `/api/v1/documents/${id}/share`, { body: { permissions: [] } }),
    act: ({ owner }, { id }) => owner('POST', `/api/v1/documents/${id}/share`),
    data: ({ shareToken, ...object }) => ({ object }),
  },
  {
    type: 'document.share.accessed',
    prepare: async (setting) =>
      newShare(setting.owner, (await document(setting)).id, { access: 'anyone' }),
    silent: ({ server }) => server.anonymous('GET', '/shares/unknown'),
    act: ({ server }, { shareToken }) =>
      server.anonymous('GET', `/shares/${shareToken}`, { headers: { 'user-agent': 'reader' } }),
    data: (_, share, { server }) => ({
      object: {
        shareId: share.id,
        documentId: share.documentId,
        accessCount: 1,
        accessedAt: new Date(server.clock.now()).toISOString(),
        ipAddress: '127.0.0.1',
        userAgent: 'reader',
      },
    }),
    by: anonymous,
  },
  {
    type: 'document.share.expired',
    prepare: async (setting) =>
      newShare(setting.owner, (await document(setting)).id, inAnHour(setting)),
    silent: passing(hour / 2),
    act: passing(hour),
    data: (_, { id, documentId, expiresAt }) => ({ object: { id, documentId, expiresAt } }),
    by: anonymous,
  },
];
