/** The form that uploads a file, and continues an upload after a reload. */
import { DecryptionError, NotFoundError } from '@document-vault/sdk';
import { forget, keep, type Unfinished, unfinishedOf } from './checkpoints.ts';
import { element, showProblem, sizeText } from './elements.ts';
import { problemText } from './problems.ts';
import type { OpenVault } from './vault.ts';

const form = element('#upload', HTMLFormElement);
const input = element('[type=file]', HTMLInputElement, form);
const start = element('[type=submit]', HTMLButtonElement, form);
const cancel = element('#cancel', HTMLButtonElement);
const discard = element('#discard', HTMLButtonElement);

/** Shows the form. `onUploaded` is called after each upload. */
export async function wireUploads(vault: OpenVault, onUploaded: () => void): Promise<void> {
  const { vaultId } = vault;
  let unfinished = await unfinishedOf(vaultId);
  const refresh = async () => {
    unfinished = await unfinishedOf(vaultId);
    showUnfinished(unfinished);
  };
  showUnfinished(unfinished);
  input.addEventListener('change', () => showChosen(input.files?.[0]));
  discard.addEventListener('click', async () => {
    const uploadId = unfinished?.checkpoint.uploadId ?? '';
    await forget(vaultId);
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
      await upload(vault, file, unfinished);
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
  unfinished: Unfinished | undefined,
): Promise<void> {
  const controller = new AbortController();
  cancel.onclick = () => controller.abort();
  // Two tabs must not continue the same upload.
  await navigator.locks.request(`upload ${vaultId}`, { ifAvailable: true }, async (lock) => {
    if (!lock) throw new Error('Another tab is uploading. Wait for it, or close it.');
    try {
      await client.documents.upload(file, {
        vaultId,
        encryptFileName: true,
        resume: unfinished?.checkpoint,
        onCheckpoint: (checkpoint) => keep({ checkpoint, fileName: file.name }),
        onProgress: ({ loaded, total = 0 }) => showProgress(loaded, total),
        signal: controller.signal,
      });
    } catch (error) {
      // What cannot be continued must not stop the next upload.
      if (controller.signal.aborted || isFinal(error)) await forget(vaultId);
      throw error;
    }
    await forget(vaultId);
  });
}

/** Whether the checkpoint can never be continued. */
function isFinal(error: unknown): boolean {
  if (error instanceof DecryptionError) return error.reason === 'checkpoint';
  return error instanceof NotFoundError;
}

function showUnfinished(unfinished: Unfinished | undefined): void {
  const place = element('#unfinished', HTMLElement);
  place.hidden = !unfinished;
  start.textContent = unfinished ? 'Continue the upload' : 'Encrypt and upload';
  if (!unfinished) return;
  const { fileName, checkpoint } = unfinished;
  const size = sizeText(checkpoint.encryption.size);
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
