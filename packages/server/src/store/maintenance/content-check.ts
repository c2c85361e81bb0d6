import { createHash } from 'node:crypto';
import type { ContentError, Contents, StoredSpan } from '../contents/contents.ts';
import type { Queries } from '../driver.ts';
import type { DocumentRecord } from '../rows/documents/documents.ts';
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
    const problem = await problemOf(document, options);
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

type Reading = Pick<ContentCheckOptions, 'store' | 'contents'>;

async function problemOf(document: DocumentRecord, reading: Reading): Promise<string | undefined> {
  try {
    return document.content.partBytes === null
      ? await problemOfWhole(document, reading)
      : await problemOfParts(document, document.content.partBytes, reading);
  } catch (error) {
    const { code, message } = error as ContentError;
    return code === 'CONTENT_DAMAGED' ? 'has no complete content' : `could not be read: ${message}`;
  }
}

async function problemOfWhole(
  document: DocumentRecord,
  { contents }: Reading,
): Promise<string | undefined> {
  const pieces = await contents.read(document, { from: 0, to: document.sizeBytes });
  const digest = await digestOf(pieces);
  return digest.equals(document.content.digest) ? undefined : 'has a content with another digest';
}

/** Reads part by part, so that each damaged one is named. Parts are counted from 0, as in requests. */
async function problemOfParts(
  document: DocumentRecord,
  partBytes: number,
  { store, contents }: Reading,
): Promise<string | undefined> {
  const { id, sizeBytes, content } = document;
  const expected = new Map(
    (await contents.parts(store, id)).map(({ part, sha256 }) => [part, sha256]),
  );
  const whole = createHash('sha256');
  const damaged: number[] = [];
  for (let part = 0; part * partBytes < sizeBytes; part += 1) {
    const from = part * partBytes;
    const range = { from, to: Math.min(from + partBytes, sizeBytes) };
    const digest = await digestOfPart(contents, document, range);
    if (digest) whole.update(digest);
    if (!digest || !expected.get(part)?.equals(digest)) damaged.push(part);
  }
  if (damaged.length > 0) return `has damaged parts: ${bounded(damaged.map(String)).join(', ')}`;
  return whole.digest().equals(content.digest) ? undefined : 'has a content with another digest';
}

/** Returns undefined for a part that is not complete. */
async function digestOfPart(
  contents: Contents,
  document: DocumentRecord,
  range: StoredSpan,
): Promise<Buffer | undefined> {
  try {
    return await digestOf(await contents.read(document, range));
  } catch (error) {
    if ((error as ContentError).code === 'CONTENT_DAMAGED') return undefined;
    throw error;
  }
}

async function digestOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest();
}
