// A page that uploads documents and records their progress.
import { DocumentVault, type UploadProgress } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';

/** What the page uploads, and how. */
interface Upload {
  readonly baseUrl: string;
  readonly vaultId: string;
  readonly size: number;
  readonly token?: string;
  readonly apiKey?: string;
  /** Aborts the upload once so many bytes have been sent. */
  readonly abortAt?: number;
}

/** Uploads a document. Returns the bytes of each report, and the name of the error. */
async function upload({ baseUrl, vaultId, size, token, apiKey, abortAt = Infinity }: Upload) {
  const accessToken = token ? () => token : undefined;
  const client = new DocumentVault({ baseUrl, apiKey, accessToken, dangerouslyAllowBrowser: true });
  const cipher = await createCipher({ passphrase: 'open sesame' });
  const controller = new AbortController();
  const seen: number[] = [];
  const onProgress = ({ phase, loaded }: UploadProgress) => {
    if (phase !== 'uploading') return;
    seen.push(loaded);
    if (loaded >= abortAt) controller.abort();
  };
  const { signal } = controller;
  const options = { vaultId, cipher, fileName: 'film.mp4', onProgress, signal };
  const sent = client.documents.upload(new Blob([new Uint8Array(size)]), options);
  const error = await sent.then(
    () => undefined,
    ({ name, message }: Error) => `${name}: ${message}`,
  );
  return { seen, error };
}

Object.assign(window, { page: { upload } });

/** The functions of the page for its test. */
export interface UploadProgressPage {
  readonly upload: typeof upload;
}
