/** The messages between the service worker and the page. */

/** The worker asks a page for a file. It sends a port with it, for the reply and the chunks. */
export interface FileRequest {
  /** The end of the path that was requested, after `files/`. */
  readonly key: string;
  /** The header `Range`. */
  readonly range: string | null;
}

/** The page replies with the head of a response, or with undefined when it does not know the file. */
export interface FileHead {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly hasBody: boolean;
}

/** What the worker sends then: each `next` gets a {@link NextChunk}. */
export type ChunkRequest = 'next' | 'cancel';

/** The next bytes, or why there are none. */
export type NextChunk = Uint8Array<ArrayBuffer> | 'end' | 'failed';
