// Generated from openapi/rules/uploads.ts by `npm run generate`. Do not edit.

import { violation } from './errors.ts';
import { jsonBytes } from './formats.ts';

// Rules of contents that are sent in parts.

/** Bytes of every part except the last one. S3 takes parts of at least 5 MiB. */
export const uploadPartBytes = 8 * 1024 * 1024;

/** Open uploads of an account. */
export const maxOpenUploads = 20;

/** Milliseconds after which an upload that has not become a document is removed. */
export const uploadLifetime = 24 * 60 * 60 * 1000;

/** Parts that the message about missing parts names. */
const namedParts = 20;

/** The error for an id of a client that was used before. */
export function usedId() {
  return violation('id', 'unique', 'This id was used before. Make a new one.');
}

/** The error for an upload above the largest document. */
export function uploadTooLarge(maxBytes: number) {
  return violation('sizeBytes', 'maximum', `sizeBytes must be at most ${maxBytes}.`);
}

/** Returns the number of parts of an upload of `sizeBytes` bytes. */
export function partCount(sizeBytes: number): number {
  return Math.ceil(sizeBytes / uploadPartBytes);
}

/** Returns the length of a part in bytes. Only the last one may be shorter than the others. */
export function partLength(sizeBytes: number, part: number): number {
  return Math.min(uploadPartBytes, sizeBytes - part * uploadPartBytes);
}

/**
 * Parses the number of a part in a path.
 *
 * @throws ServiceError VALIDATION_ERROR, `partNumber`
 */
export function parsePartNumber(text: string, sizeBytes: number): number {
  const last = partCount(sizeBytes) - 1;
  const part = /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN;
  if (part <= last) return part;
  const message = `part must be a whole number from 0 to ${last}: the upload has ${last + 1} parts.`;
  throw violation('part', 'partNumber', message);
}

/** The error for a body that is not as long as its part. */
export function wrongPartLength(part: number, length: number) {
  return violation('body', 'partBytes', `Part ${part} must have exactly ${length} bytes.`);
}

/**
 * Returns the SHA-256 of a `Content-Digest` header as base64. The contract's pattern ensures that there is one.
 *
 * @see RFC 9530, section 2
 */
export function sha256Of(contentDigest: string): string | undefined {
  return /(?:^|,[ \t]*)sha-256=:([A-Za-z0-9+/]{43}=):/.exec(contentDigest)?.[1];
}

/** The error for a body whose SHA-256 differs from its `Content-Digest`. */
export function wrongDigest() {
  const message =
    'The bytes that arrived do not have the SHA-256 of Content-Digest. Send the part again.';
  return violation('Content-Digest', 'digest', message);
}

/** What a document says about the upload that becomes its content. */
interface Finished {
  readonly vaultId: string;
  readonly sizeBytes: number;
}

/**
 * Checks that an upload can become a document.
 *
 * @param present numbers of the parts that have arrived
 * @throws ServiceError VALIDATION_ERROR: `sameVault`, `decodedLength`, `missingParts`
 */
export function requireFinished(
  upload: Finished,
  document: Finished,
  present: Iterable<number>,
): void {
  if (document.vaultId !== upload.vaultId) {
    throw violation('vaultId', 'sameVault', `The upload was begun for vault ${upload.vaultId}.`);
  }
  if (document.sizeBytes !== upload.sizeBytes) {
    const message = `sizeBytes is ${document.sizeBytes}, but the upload has ${upload.sizeBytes} bytes.`;
    throw violation('sizeBytes', 'decodedLength', message);
  }
  const missing = missingParts(upload.sizeBytes, new Set(present));
  if (missing.length > 0) throw partsMissing(missing);
}

/** The properties of a document that a request gives when it creates the document from an upload. */
interface Described extends Finished {
  readonly fileName: string;
  readonly mimeType: string;
  readonly encryptionMetadata: unknown;
}

/** Whether a request repeats the one that created the document, whose response may have been lost. */
export function isMadeBy(document: Described, request: Described): boolean {
  const described = ({ vaultId, fileName, mimeType, sizeBytes, encryptionMetadata }: Described) =>
    JSON.stringify([vaultId, fileName, mimeType, sizeBytes, encryptionMetadata]);
  return described(document) === described(request);
}

function missingParts(sizeBytes: number, present: ReadonlySet<number>): number[] {
  const numbers = Array.from({ length: partCount(sizeBytes) }, (_, part) => part);
  return numbers.filter((part) => !present.has(part));
}

/** @param missing their numbers, at least one */
export function partsMissing(missing: readonly number[]) {
  const others = missing.length - namedParts;
  const named = missing.slice(0, namedParts).join(', ');
  const message =
    `Parts have not arrived: ${named}${others > 0 ? ` and ${others} more` : ''}. ` +
    'Send them, then create the document.';
  return violation('uploadId', 'missingParts', message);
}

/** The properties of `encryptionMetadata` that say which key wraps the document's own. */
const wrapping = ['keyDerivation', 'iterations', 'salt', 'keyGeneration'] as const;

/** Maximum size of `encryptionMetadata` as JSON, in bytes. */
const maxMetadataBytes = 16 * 1024;

type Metadata = Readonly<Record<string, unknown>>;

/**
 * Returns the metadata of a document whose key was wrapped anew. The properties of the wrapping are replaced
 * together.
 *
 * @throws ServiceError VALIDATION_ERROR: `wrappedKey`, `dependentRequired`, `exclusive`, `maxBytes`
 */
export function rewrapped<Current extends Metadata>(current: Current, update: Metadata): Current {
  if (current.wrappedKey === undefined) {
    const message =
      'The document has no wrappedKey: its content is encrypted under the derived key itself. Upload it again.';
    throw violation('encryptionMetadata', 'wrappedKey', message);
  }
  requireSalt(update);
  const dropped = wrapping.filter((name) => update[name] === undefined);
  const kept = Object.entries(current).filter(([name]) => !dropped.some((drop) => drop === name));
  const metadata = { ...Object.fromEntries(kept), ...update };
  if (jsonBytes(metadata) > maxMetadataBytes) {
    const message = `encryptionMetadata must have at most ${maxMetadataBytes} bytes as JSON.`;
    throw violation('encryptionMetadata', 'maxBytes', message);
  }
  return metadata as unknown as Current;
}

/** A key is derived with a salt. The key of a vault has a generation in its place. */
function requireSalt({ keyDerivation, salt, keyGeneration }: Metadata): void {
  if (keyDerivation === undefined) return;
  const isVaultKey = keyDerivation === 'VAULT_KEY';
  if (!isVaultKey && salt === undefined) {
    const field = 'encryptionMetadata.salt';
    throw violation(field, 'dependentRequired', `${field} is required for ${keyDerivation}.`);
  }
  const other = isVaultKey ? 'salt' : 'keyGeneration';
  if ((isVaultKey ? salt : keyGeneration) === undefined) return;
  const field = `encryptionMetadata.${other}`;
  throw violation(field, 'exclusive', `${field} does not belong to ${keyDerivation}.`);
}
