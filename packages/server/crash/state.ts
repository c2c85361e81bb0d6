// What an account holds: as the test expects it, and as the server shows it.

export interface VaultFacts {
  readonly name: string;
  readonly documentCount: number;
  readonly totalSize: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface DocumentFacts {
  readonly vaultId: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  /** SHA-256 of the content. */
  readonly digest: string;
  readonly uploadedAt: string;
  readonly updatedAt: string;
}

export interface ShareFacts {
  readonly documentId: string;
  readonly maxAccessCount: number;
  readonly accessCount: number;
  readonly isActive: boolean;
  readonly createdAt: string;
}

/** Each by its id. */
export interface State {
  readonly vaults: Map<string, VaultFacts>;
  readonly documents: Map<string, DocumentFacts>;
  readonly shares: Map<string, ShareFacts>;
}

export function emptyState(): State {
  return { vaults: new Map(), documents: new Map(), shares: new Map() };
}

/** What several hold together; nothing belongs to two of them. */
export function together(states: readonly State[]): State {
  return {
    vaults: new Map(states.flatMap(({ vaults }) => [...vaults])),
    documents: new Map(states.flatMap(({ documents }) => [...documents])),
    shares: new Map(states.flatMap(({ shares }) => [...shares])),
  };
}

/** Changes some facts of what is there. */
export function amend<Facts>(of: Map<string, Facts>, id: string, changes: Partial<Facts>): void {
  of.set(id, { ...known(of, id), ...changes });
}

export function known<Facts>(of: Map<string, Facts>, id: string): Facts {
  const facts = of.get(id);
  if (facts === undefined) throw new Error(`there is no ${id}`);
  return facts;
}

/** Counts documents into a vault, or out of it. */
export function countIn({ vaults }: State, vaultId: string, documents: number, bytes: number) {
  const { documentCount, totalSize } = known(vaults, vaultId);
  amend(vaults, vaultId, {
    documentCount: documentCount + documents,
    totalSize: totalSize + bytes,
  });
}

/** Forgets a document and what depends on it. */
export function forgetDocument({ documents, shares }: State, id: string): void {
  documents.delete(id);
  for (const [shareId, { documentId }] of shares) if (documentId === id) shares.delete(shareId);
}
