/** The list of the files, and the player. */
import type { DecryptedStream, Document } from '@document-vault/sdk';
import { addressOf, close, save } from './decrypted-files.ts';
import { element, showProblem, sizeText } from './elements.ts';
import { problemText } from './problems.ts';
import type { OpenVault } from './vault.ts';

const section = element('#files', HTMLElement);
const list = element('ul', HTMLUListElement, section);
const player = element('#player', HTMLElement);
const video = element('video', HTMLVideoElement);

/** Shows the files of the vault, newest first. */
export async function showFiles(vault: OpenVault): Promise<void> {
  const { client, vaultId } = vault;
  const items: HTMLElement[] = [];
  for await (const document of client.documents.list({ vaultId }, { maxItems: 100 })) {
    items.push(await itemOf(vault, document));
  }
  list.replaceChildren(...items);
  element('#empty', HTMLElement).hidden = items.length > 0;
}

async function itemOf(vault: OpenVault, document: Document): Promise<HTMLElement> {
  const template = element('#file', HTMLTemplateElement);
  const item = template.content.cloneNode(true) as DocumentFragment;
  const name = await vault.client.documents.fileName(document).catch(() => undefined);
  element('.file-name', HTMLElement, item).textContent = name ?? 'A file of other keys';
  element('.hint', HTMLElement, item).textContent = sizeText(document.sizeBytes);
  const play = element('.play', HTMLButtonElement, item);
  play.hidden = !name || !/^(video|audio)\//.test(document.mimeType);
  play.addEventListener('click', () => withFile(vault, document, play, showPlayer));
  const download = element('.save', HTMLButtonElement, item);
  download.hidden = !name;
  download.addEventListener('click', () => withFile(vault, document, download, save));
  return element('li', HTMLElement, item);
}

/** Opens a file: only its first segment is downloaded now. */
async function withFile(
  { client }: OpenVault,
  { id }: Document,
  button: HTMLButtonElement,
  use: (file: DecryptedStream) => void,
): Promise<void> {
  button.disabled = true;
  showProblem(section, undefined);
  try {
    use(await client.documents.download(id, { as: 'stream' }));
  } catch (error) {
    showProblem(section, problemText(error));
  } finally {
    button.disabled = false;
  }
}

function showPlayer(file: DecryptedStream): void {
  close(video.getAttribute('src') ?? '');
  element('#playing', HTMLElement).textContent = file.fileName;
  video.src = addressOf(file);
  player.hidden = false;
  video.focus();
}

video.addEventListener('error', () =>
  showProblem(section, 'This browser cannot play the file. Save it, and open it in a player.'),
);
