/** A client of transfers, in a process of its own. */
interface TransferClient {
  /** Uploads a file and returns its id. */
  upload(path: string): Promise<string>;
  /** Downloads a content and returns its length. */
  download(id: string): Promise<number>;
}

/** What the parent asks for. */
type Task = { readonly upload: string } | { readonly download: string };

/** Runs the transfers that the parent asks for, and reports each result. A failure ends the process. */
export function serveTransfers({ upload, download }: TransferClient): void {
  process.on('message', async (task: Task) => {
    process.send?.('upload' in task ? await upload(task.upload) : await download(task.download));
  });
  process.send?.('ready');
}
