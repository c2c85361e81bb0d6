/** The page of a share link: fetches the file after a click, decrypts it and shows it. */
import type { DecryptedStream } from '@document-vault/sdk';
import { openShare } from '@document-vault/sdk/share';
import { addressOf, startServing } from '../file-worker/serving.ts';
import { playerOf, previewOf } from './preview.ts';
import { insecurePage, noLink, type Problem, problemOf, tooLarge } from './problems.ts';
import { sizeText } from './size.ts';

type State = 'ready' | 'opening' | 'opened' | 'problem';

/** Milliseconds. A file on a slow connection takes long. */
const timeout = 60 * 60_000;

/** Up to this size, a file is decrypted as a whole: it can be shown in every way. In bytes. */
const wholeBytes = 32 * 1024 * 1024;

/** Up to this size, a file is kept in memory where the browser has no service worker. In bytes. */
const memoryBytes = 512 * 1024 * 1024;

/** The link. It stays in memory only. */
let link: string | undefined;

/** Ends the download of an earlier link. */
let opening = new AbortController();

function element<Found extends HTMLElement>(selector: string): Found {
  return document.querySelector(selector) as Found;
}

/** Shows one section, and moves the focus to its heading for screen readers. */
function show(state: State): void {
  for (const section of document.querySelectorAll('section')) section.hidden = section.id !== state;
  const heading = element(`#${state} h1`);
  document.title = `${heading.textContent} – Document Vault`;
  heading.focus();
}

function showProblem({ title, text, reasons = [], advice, canRetry = false }: Problem): void {
  element('#title').textContent = title;
  element('#text').textContent = text;
  element('#reasons').replaceChildren(...reasons.map(listItem));
  element('#advice').textContent = advice;
  element('#retry').hidden = !canRetry;
  show('problem');
}

function listItem(text: string): HTMLElement {
  const item = document.createElement('li');
  item.textContent = text;
  return item;
}

/** Shows a file that is in memory. */
function showBytes(file: DecryptedStream, bytes: Uint8Array<ArrayBuffer>): void {
  // Never a type that a browser would run as a document of this origin.
  const blob = new Blob([bytes], { type: 'application/octet-stream' });
  const download = element<HTMLAnchorElement>('#download');
  download.href = URL.createObjectURL(blob);
  download.download = file.fileName;
  download.target = '';
  showFile(file, previewOf(file, bytes));
}

/** Shows a file that is decrypted while it is played or downloaded. */
function showStreamed(file: DecryptedStream): void {
  const address = addressOf(file);
  const download = element<HTMLAnchorElement>('#download');
  download.href = `${address}?save`;
  // Browsers do not show the requests of this attribute to service workers.
  download.removeAttribute('download');
  download.target = 'downloads';
  showFile(file, playerOf(file, address));
  element('#keep-open').hidden = false;
}

function showFile({ fileName, mimeType, size }: DecryptedStream, preview: Node | undefined): void {
  element('#name').textContent = fileName;
  element('#facts').textContent = `${sizeText(size)} · ${mimeType}`;
  element('#preview').replaceChildren(...(preview ? [preview] : []));
  element('#keep-open').hidden = true;
  show('opened');
}

/** Shows a file in the way that its size allows. */
async function present(file: DecryptedStream, signal: AbortSignal): Promise<void> {
  const isServed = file.size > wholeBytes && (await startServing(new URL('./', location.href)));
  if (signal.aborted) return;
  if (isServed) showStreamed(file);
  else if (file.size > memoryBytes) showProblem(tooLarge(file.size, memoryBytes));
  else {
    const bytes = await readAll(file);
    if (!signal.aborted) showBytes(file, bytes);
  }
}

async function readAll({ stream, size }: DecryptedStream): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  const reader = stream.getReader();
  let filled = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes.set(read.value, filled);
    filled += read.value.length;
    showProgress(filled / size);
  }
  return bytes;
}

/** Updates the progress from 0 to 1. */
function showProgress(done: number): void {
  element<HTMLProgressElement>('progress').value = done;
}

async function open(): Promise<void> {
  if (link === undefined) return;
  element('progress').removeAttribute('value');
  element('#phase').textContent = 'Downloading and decrypting…';
  show('opening');
  opening = new AbortController();
  const { signal } = opening;
  // The page may be below the path of a proxy.
  const baseUrl = new URL('..', location.href).href;
  const options = { baseUrl, timeout, maxRetryAfter: 5000, signal };
  try {
    const file = await openShare(link, { ...options, as: 'stream' });
    if (!signal.aborted) await present(file, signal);
  } catch (error) {
    if (!signal.aborted) showProblem(problemOf(error));
  }
}

/** Takes the link out of the address and the history, before anything else happens. */
function takeLink(): void {
  opening.abort();
  link = location.hash.length > 1 ? location.href : undefined;
  history.replaceState(null, '', location.pathname);
  if (!isSecureContext) showProblem(insecurePage);
  else if (link === undefined) showProblem(noLink);
  else show('ready');
}

element('#open').addEventListener('click', open);
element('#retry').addEventListener('click', open);
// Another link that is pasted into the address bar loads no new page.
addEventListener('hashchange', takeLink);
takeLink();
