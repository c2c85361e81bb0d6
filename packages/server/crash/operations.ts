import { createHash, randomBytes } from 'node:crypto';
import { documentOf } from '../test/support/resources.ts';
import { amend, countIn, forgetDocument, known, type State } from './state.ts';

/** The result of a change, from its response or from the server's state. */
export interface Made {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** One change: how to ask for it, how to tell that it was done, and what is different then. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** The status of its success. */
  readonly status: 200 | 201 | 204;
  /** Whom it changes; undefined: what it makes. */
  readonly subject?: string;
  readonly event?: string;
  /** What was made, when this state of the server holds it. */
  find(state: State): Made | undefined;
  /** Does the same to what is expected. */
  apply(state: State, made: Made): void;
}

export function createVault(unique: number): Operation {
  const name = `vault ${unique}`;
  return {
    method: 'POST',
    path: '/api/v1/vaults',
    body: { name },
    status: 201,
    event: 'vault.created',
    find: ({ vaults }) => findIn(vaults, (vault) => vault.name === name),
    apply({ vaults }, { id, createdAt, updatedAt }) {
      const times = { createdAt: String(createdAt), updatedAt: String(updatedAt) };
      vaults.set(id, { name, documentCount: 0, totalSize: 0, ...times });
    },
  };
}

export function renameVault(unique: number, id: string): Operation {
  const name = `renamed vault ${unique}`;
  return {
    subject: id,
    method: 'PUT',
    path: `/api/v1/vaults/${id}`,
    body: { name },
    status: 200,
    event: 'vault.updated',
    find: ({ vaults }) => findIn(vaults, (vault) => vault.name === name),
    apply: ({ vaults }, { updatedAt }) => amend(vaults, id, { name, updatedAt: String(updatedAt) }),
  };
}

export function deleteVault(id: string): Operation {
  return {
    subject: id,
    method: 'DELETE',
    path: `/api/v1/vaults/${id}`,
    status: 204,
    event: 'vault.deleted',
    find: ({ vaults }) => (vaults.has(id) ? undefined : { id }),
    apply(state) {
      for (const [documentId, { vaultId }] of state.documents) {
        if (vaultId === id) forgetDocument(state, documentId);
      }
      state.vaults.delete(id);
    },
  };
}

export function upload(unique: number, vaultId: string, sizeBytes: number): Operation {
  const fileName = `document ${unique}`;
  const content = randomBytes(sizeBytes);
  return {
    method: 'POST',
    path: '/api/v1/documents',
    body: documentOf(vaultId, content, { fileName }),
    status: 201,
    event: 'document.uploaded',
    find: ({ documents }) => findIn(documents, (document) => document.fileName === fileName),
    apply(state, { id, uploadedAt, updatedAt }) {
      const digest = digestOf(content);
      const times = { uploadedAt: String(uploadedAt), updatedAt: String(updatedAt) };
      state.documents.set(id, { vaultId, fileName, sizeBytes, digest, ...times });
      countIn(state, vaultId, 1, sizeBytes);
    },
  };
}

export function renameDocument(unique: number, id: string): Operation {
  const fileName = `renamed document ${unique}`;
  return {
    subject: id,
    method: 'PUT',
    path: `/api/v1/documents/${id}`,
    body: { fileName },
    status: 200,
    event: 'document.updated',
    find: ({ documents }) => findIn(documents, (document) => document.fileName === fileName),
    apply: ({ documents }, { updatedAt }) =>
      amend(documents, id, { fileName, updatedAt: String(updatedAt) }),
  };
}

/** Into another vault than its own. */
export function moveDocument(id: string, vaultId: string): Operation {
  return {
    subject: id,
    method: 'PUT',
    path: `/api/v1/documents/${id}`,
    body: { vaultId },
    status: 200,
    event: 'document.updated',
    find({ documents }) {
      const document = documents.get(id);
      return document?.vaultId === vaultId ? { id, ...document } : undefined;
    },
    apply(state, { updatedAt }) {
      const before = known(state.documents, id);
      countIn(state, before.vaultId, -1, -before.sizeBytes);
      countIn(state, vaultId, 1, before.sizeBytes);
      amend(state.documents, id, { vaultId, updatedAt: String(updatedAt) });
    },
  };
}

export function deleteDocument(id: string): Operation {
  return {
    subject: id,
    method: 'DELETE',
    path: `/api/v1/documents/${id}`,
    status: 204,
    event: 'document.deleted',
    find: ({ documents }) => (documents.has(id) ? undefined : { id }),
    apply(state) {
      const { vaultId, sizeBytes } = known(state.documents, id);
      countIn(state, vaultId, -1, -sizeBytes);
      forgetDocument(state, id);
    },
  };
}

/** A share that was revoked, used up or deleted with its document has no token to replay. */
export function replays({ shares }: State, { event }: Operation, response: unknown): boolean {
  if (event !== 'document.shared') return true;
  const share = shares.get((response as Made).id);
  return share?.isActive === true && share.accessCount < share.maxAccessCount;
}

/** Recognised by its cap, the one property of a share that its caller chooses and sees. */
export function share(maxAccessCount: number, documentId: string): Operation {
  return {
    method: 'POST',
    path: `/api/v1/documents/${documentId}/share`,
    body: { maxAccessCount },
    status: 201,
    event: 'document.shared',
    find: ({ shares }) => findIn(shares, (facts) => facts.maxAccessCount === maxAccessCount),
    apply({ shares }, { id, createdAt }) {
      const facts = { documentId, maxAccessCount, accessCount: 0, isActive: true };
      shares.set(id, { ...facts, createdAt: String(createdAt) });
    },
  };
}

export function openShare(state: State, id: string, token: string): Operation {
  const accessCount = known(state.shares, id).accessCount + 1;
  return {
    subject: id,
    method: 'GET',
    path: `/api/v1/documents/share/${token}`,
    status: 200,
    event: 'document.share.accessed',
    find: ({ shares }) => (shares.get(id)?.accessCount === accessCount ? { id } : undefined),
    apply: ({ shares }) => amend(shares, id, { accessCount }),
  };
}

export function revokeShare(state: State, id: string): Operation {
  return {
    subject: id,
    method: 'DELETE',
    path: `/api/v1/documents/${known(state.shares, id).documentId}/shares/${id}`,
    status: 204,
    find: ({ shares }) => (shares.get(id)?.isActive ? undefined : { id }),
    apply: ({ shares }) => amend(shares, id, { isActive: false }),
  };
}

export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function findIn<Facts extends object>(
  of: Map<string, Facts>,
  matches: (facts: Facts) => boolean,
): Made | undefined {
  for (const [id, facts] of of) if (matches(facts)) return { id, ...facts };
  return undefined;
}
