/** The page of a share link: fetches the file after a click, decrypts it and shows it. */
import type { DecryptedDocument } from '@document-vault/sdk';
import { openShare } from '@document-vault/sdk/share';
import { previewOf } from './preview.ts';
import { insecurePage, noLink, type Problem, problemOf } from './problems.ts';

type State = 'ready' | 'opening' | 'opened' | 'problem';

/** Milliseconds. A file on a slow connection takes long. */
const timeout = 60 * 60_000;

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

function showFile(file: DecryptedDocument): void {
  const { bytes, fileName, mimeType } = file;
  element('#name').textContent = fileName;
  element('#facts').textContent = `${sizeText(bytes.length)} · ${mimeType}`;
  element('#preview').replaceChildren(...[previewOf(file)].filter((node) => node !== undefined));
  const download = element<HTMLAnchorElement>('#download');
  // Never a type that a browser would run as a document of this origin.
  const blob = new Blob([bytes], { type: 'application/octet-stream' });
  download.href = URL.createObjectURL(blob);
  download.download = fileName;
  show('opened');
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];

function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), 3);
  const unit = units[power] as string;
  const options = { style: 'unit', unit, unitDisplay: power ? 'short' : 'long' } as const;
  return new Intl.NumberFormat('en', { ...options, maximumSignificantDigits: 3 }).format(
    bytes / 1000 ** power,
  );
}

/** Updates the progress from 0 to 1. */
function showProgress(done: number): void {
  if (done < 1) element<HTMLProgressElement>('progress').value = done;
  else {
    element('progress').removeAttribute('value');
    element('#phase').textContent = 'Decrypting…';
  }
}

/** A `fetch` that reports how much of a body has arrived. */
async function countingFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { ok, body, status, headers } = response;
  const total = Number(headers.get('content-length'));
  if (!ok || !body || !total) return response;
  let received = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      received += chunk.length;
      showProgress(received / total);
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counter), { status, headers });
}

async function open(): Promise<void> {
  if (link === undefined) return;
  element('progress').removeAttribute('value');
  element('#phase').textContent = 'Downloading…';
  show('opening');
  opening = new AbortController();
  const { signal } = opening;
  // The page may be below the path of a proxy.
  const baseUrl = new URL('..', location.href).href;
  const options = { baseUrl, fetch: countingFetch, timeout, maxRetryAfter: 5000, signal };
  try {
    const file = await openShare(link, options);
    if (!signal.aborted) showFile(file);
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
