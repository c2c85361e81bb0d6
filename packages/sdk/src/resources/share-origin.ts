import type { CallOptions } from '../options.ts';
import type { Document } from './document.ts';

/** Where a created share keeps its {@link ShareOrigin}: the same symbol in every copy of the package. */
export const shareOriginKey: unique symbol = Symbol.for('@document-vault/sdk/share-origin');

/** Where a share comes from: what the package's entry for share links uses of a client. */
export interface ShareOrigin {
  readonly baseUrl: string;
  /** Fetches the document that is shared. */
  document(options: CallOptions): Promise<Document>;
}
