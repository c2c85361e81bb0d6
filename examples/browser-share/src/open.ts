/** The recipient's page: opens a link without an account. */
import type { DecryptedDocument } from '@document-vault/sdk';
import { openShare } from '@document-vault/sdk/share';
import { element, showProblem } from './elements.ts';
import { openingProblem } from './problems.ts';
import { baseUrl } from './service.ts';
import { sizeText } from './size.ts';

const closed = element('#closed', HTMLElement);
const opened = element('#opened', HTMLElement);
const button = element('#open', HTMLButtonElement);

function showProgress(text: string | undefined): void {
  element('#progress', HTMLElement).hidden = text === undefined;
  element('#phase', HTMLElement).textContent = text ?? '';
}

function showFile({ bytes, fileName, mimeType }: DecryptedDocument): void {
  element('#file-name', HTMLElement).textContent = fileName;
  element('#facts', HTMLElement).textContent = `${sizeText(bytes.length)}, ${mimeType}`;
  const download = element('#download', HTMLAnchorElement);
  // Of no type that a browser opens as a page of this origin: the sender may have put a script into it.
  const blob = new Blob([bytes], { type: 'application/octet-stream' });
  download.href = URL.createObjectURL(blob);
  download.download = fileName;
  document.title = `${fileName} – Document Vault`;
  closed.hidden = true;
  opened.hidden = false;
  element('#file-name', HTMLElement).focus();
}

button.addEventListener('click', async () => {
  button.disabled = true;
  showProblem(closed, undefined);
  showProgress('Fetching and decrypting…');
  try {
    const file = await openShare(location.href, { baseUrl });
    // The next user of this browser must not find the key in its history.
    history.replaceState(null, '', location.pathname);
    showFile(file);
  } catch (error) {
    showProblem(closed, openingProblem(error));
  } finally {
    showProgress(undefined);
    button.disabled = false;
  }
});
