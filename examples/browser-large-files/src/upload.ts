/** The form that uploads a file, and continues an upload after a reload. */
import {
  type CheckpointStore,
  DecryptionError,
  NotFoundError,
  type UploadCheckpoint,
} from '@document-vault/sdk';
import { indexedDbCheckpoints } from '@document-vault/sdk/stores';
import { element, showProblem, sizeText } from './elements.ts';
import { problemText } from './problems.ts';
import type { OpenVault } from './vault.ts';

const form = element('#upload', HTMLFormElement);
const input = element('[type=file]', HTMLInputElement, form);
const start = element('[type=submit]', HTMLButtonElement, form);
const cancel = element('#cancel', HTMLButtonElement);
const discard = element('#discard', HTMLButtonElement);

/** The name of the file that is uploaded, in `localStorage`: in the checkpoint, it is encrypted. */
const nameKey = 'uploaded file';

/** Shows the form. `onUploaded` is called after each upload. */
export async function wireUploads(vault: OpenVault, onUploaded: () => void): Promise<void> {
  const checkpoints = indexedDbCheckpoints(vault.vaultId);
  let unfinished = await checkpoints.get();
  const refresh = async () => {
    unfinished = await checkpoints.get();
    showUnfinished(unfinished);
  };
  showUnfinished(unfinished);
  input.addEventListener('change', () => showChosen(input.files?.[0]));
  discard.addEventListener('click', async () => {
    const uploadId = unfinished?.uploadId ?? '';
    await checkpoints.clear();
    // The service removes it after a day anyway.
    await vault.client.uploads.delete(uploadId).catch(() => {});
    await refresh();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const file = input.files?.[0];
    if (!file) return;
    showProblem(form, undefined);
    showRunning(true);
    try {
      await upload(vault, file, checkpoints);
      form.reset();
      showChosen(undefined);
      onUploaded();
    } catch (error) {
      showProblem(form, problemText(error));
    } finally {
      showRunning(false);
      await refresh();
    }
  });
}

async function upload(
  { client, vaultId }: OpenVault,
  file: File,
  checkpoints: CheckpointStore,
): Promise<void> {
  const controller = new AbortController();
  cancel.onclick = () => controller.abort();
  // Two tabs must not continue the same upload.
  await navigator.locks.request(`upload ${vaultId}`, { ifAvailable: true }, async (lock) => {
    if (!lock) throw new Error('Another tab is uploading. Wait for it, or close it.');
    localStorage.setItem(nameKey, file.name);
    try {
      await client.documents.upload(file, {
        vaultId,
        encryptFileName: true,
        resume: await checkpoints.get(),
        onCheckpoint: checkpoints.set,
        onProgress: ({ loaded, total = 0 }) => showProgress(loaded, total),
        signal: controller.signal,
      });
    } catch (error) {
      // Such a checkpoint would make the next upload fail too.
      if (controller.signal.aborted || isFinal(error)) await checkpoints.clear();
      throw error;
    }
    await checkpoints.clear();
  });
}

/** Whether no file can continue the checkpoint. */
function isFinal(error: unknown): boolean {
  if (error instanceof DecryptionError) return error.reason === 'checkpoint';
  return error instanceof NotFoundError;
}

function showUnfinished(unfinished: UploadCheckpoint | undefined): void {
  const place = element('#unfinished', HTMLElement);
  place.hidden = !unfinished;
  start.textContent = unfinished ? 'Continue the upload' : 'Encrypt and upload';
  if (!unfinished) return;
  const size = sizeText(unfinished.encryption.size);
  const fileName = localStorage.getItem(nameKey) ?? 'a file';
  element('#unfinished-file', HTMLElement).textContent = `${fileName} (${size})`;
}

function showChosen(file: File | undefined): void {
  element('#file-name', HTMLElement).textContent = file?.name ?? 'Choose a file, or drop one here';
  element('#file-hint', HTMLElement).textContent = file ? sizeText(file.size) : 'Up to 16 GiB';
}

function showRunning(isRunning: boolean): void {
  start.hidden = isRunning;
  discard.disabled = isRunning;
  input.disabled = isRunning;
  cancel.hidden = !isRunning;
  element('#progress', HTMLElement).hidden = !isRunning;
  if (isRunning) showProgress(0, 0);
}

function showProgress(loaded: number, total: number): void {
  const bar = element('progress', HTMLProgressElement, form);
  if (total === 0) bar.removeAttribute('value');
  else bar.value = loaded / total;
  element('#phase', HTMLElement).textContent =
    total === 0 ? 'Preparing…' : `${sizeText(loaded)} of ${sizeText(total)} are sent`;
}
