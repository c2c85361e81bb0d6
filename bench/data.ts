/** What every peer holds before it is measured, and what is sent to it. */

export const vaultCount = 10_000;
export const pageSize = 20;

export interface NewVault {
  readonly name: string;
  readonly category: string;
}

export interface SeededVault extends NewVault {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The vault at a place from 0. */
export function newVault(index: number): NewVault {
  return {
    name: `Vault ${String(index).padStart(5, '0')}`,
    category: index % 2 === 0 ? 'personal' : 'health',
  };
}

/** All vaults, for the peers whose database can be written before they start. */
export function seededVaults(): SeededVault[] {
  const start = Date.UTC(2026, 0, 1);
  return Array.from({ length: vaultCount }, (_, index) => ({
    id: `01900000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`,
    createdAt: start + index,
    ...newVault(index),
  }));
}

/** Ids from all over the seeded vaults: one for every request of a sequence. */
export function someSeededIds(): string[] {
  return seededVaults()
    .filter((_, index) => index % 100 === 50)
    .map(({ id }) => id);
}

/** A document of 64 KiB as a client uploads it. */
export function newDocument(vaultId: string) {
  return {
    vaultId,
    fileName: 'bench.bin',
    mimeType: 'application/octet-stream',
    sizeBytes: 65_536,
    encryptedData: Buffer.alloc(65_536, 'document vault').toString('base64'),
    encryptionMetadata: {
      algorithm: 'AES-256-GCM',
      iv: 'AAAAAAAAAAAAAAAA',
      authTag: 'AAAAAAAAAAAAAAAAAAAAAA==',
    },
  };
}
