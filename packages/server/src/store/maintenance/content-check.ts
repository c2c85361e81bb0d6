import { createHash } from 'node:crypto';
import type { ContentError, Contents } from '../contents/contents.ts';
import type { Queries } from '../driver.ts';
import type { DocumentRecord } from '../repositories/documents.ts';
import type { Store } from '../store.ts';
import { bounded, type Finding, maxProblems } from './checks.ts';

/** Documents that one statement finds. */
const batchSize = 200;

export interface ContentCheckOptions {
  readonly queries: Queries;
  readonly store: Store;
  readonly contents: Contents;
}

/** Reads every content and compares it with the digest of its document. Holds one piece in memory. */
export async function examineContents(options: ContentCheckOptions): Promise<Finding> {
  const problems: string[] = [];
  let count = 0;
  let bytes = 0;
  for await (const document of everyDocument(options)) {
    const problem = await problemOf(document, options.contents);
    if (problem) problems.push(`document ${document.id} ${problem}`);
    count += 1;
    bytes += document.sizeBytes;
    if (problems.length > maxProblems) break;
  }
  const title = `Contents have the digests of their documents (${count} read, ${bytes} bytes)`;
  return { name: 'contents', title, problems: bounded(problems) };
}

async function* everyDocument({ queries, store }: ContentCheckOptions) {
  for (let after = 0; ; ) {
    const rows = await queries.all<{ number: number; id: string }>(
      `SELECT number, id FROM documents WHERE number > @after ORDER BY number LIMIT ${batchSize}`,
      { after },
    );
    for (const { number, id } of rows) {
      after = number;
      // A document of a deleted vault is not found, and its content may be erased.
      const document = await store.documents.find(id);
      if (document) yield document;
    }
    if (rows.length < batchSize) return;
  }
}

async function problemOf(
  document: DocumentRecord,
  contents: Contents,
): Promise<string | undefined> {
  const { sizeBytes, content } = document;
  const range = { from: 0, to: sizeBytes };
  try {
    const digest = await digestOf(await contents.read(document, range), content.partBytes);
    return digest.equals(content.digest) ? undefined : 'has a content with another digest';
  } catch (error) {
    const { code, message } = error as ContentError;
    if (code === 'CONTENT_DAMAGED') return 'has no complete content';
    return `could not be read: ${message}`;
  }
}

/** Returns the digest of the bytes, or of the digests of their parts. */
async function digestOf(pieces: AsyncIterable<Buffer>, partBytes: number | null): Promise<Buffer> {
  const all = createHash('sha256');
  let part = createHash('sha256');
  let left = partBytes ?? Number.POSITIVE_INFINITY;
  let isPartial = false;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const bytes = piece.subarray(at, at + left);
      part.update(bytes);
      at += bytes.length;
      left -= bytes.length;
      isPartial = left > 0;
      if (isPartial || partBytes === null) continue;
      all.update(part.digest());
      part = createHash('sha256');
      left = partBytes;
    }
  }
  if (partBytes === null) return part.digest();
  if (isPartial) all.update(part.digest());
  return all.digest();
}
