import type { DecryptedFile } from '@document-vault/sdk';
import { decodeText } from '@document-vault/sdk/share';

/**
 * The media types that are shown, each by the element that shows it. The sender chooses the type: one
 * that a browser would run as a document (HTML, SVG) is never given to an element.
 */
const elements: Readonly<Record<string, readonly string[]>> = {
  img: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'],
  audio: [
    'audio/mpeg',
    'audio/mp4',
    'audio/aac',
    'audio/ogg',
    'audio/wav',
    'audio/webm',
    'audio/flac',
  ],
  video: ['video/mp4', 'video/webm', 'video/ogg'],
  iframe: ['application/pdf'],
};

/** Types beside `text/*` that are shown as text. */
const textTypes = ['application/json', 'application/xml', 'application/yaml'];

/** Bytes of a text that are shown. More would make the page slow. */
const maxTextBytes = 256 * 1024;

/** Name and type of a file. */
type About = Pick<DecryptedFile, 'fileName' | 'mimeType' | 'charset'>;

/** Returns an element that shows the file, or undefined for a type that is only downloaded. */
export function previewOf(about: About, bytes: Uint8Array<ArrayBuffer>): Node | undefined {
  const type = about.mimeType.toLowerCase();
  if (type.startsWith('text/') || textTypes.includes(type)) return textOf(bytes, about);
  const tag = tagOf(type);
  if (tag === undefined || (tag === 'iframe' && !navigator.pdfViewerEnabled)) return undefined;
  return elementOf(tag, about, URL.createObjectURL(new Blob([bytes], { type })));
}

/** Returns an element that plays a film or a sound from an address, or undefined for other types. */
export function playerOf(about: About, address: string): Node | undefined {
  const tag = tagOf(about.mimeType.toLowerCase());
  return tag === 'video' || tag === 'audio' ? elementOf(tag, about, address) : undefined;
}

function tagOf(type: string): string | undefined {
  return Object.entries(elements).find(([, types]) => types.includes(type))?.[0];
}

function elementOf(tag: string, { fileName }: About, address: string): Node {
  const element = document.createElement(tag) as
    | HTMLImageElement
    | HTMLMediaElement
    | HTMLIFrameElement;
  if (element instanceof HTMLImageElement) element.alt = fileName;
  else element.title = fileName;
  if (element instanceof HTMLMediaElement) element.controls = true;
  element.addEventListener('error', () => element.replaceWith(unreadable()));
  // PDF viewers open without their list of pages.
  element.src = element instanceof HTMLIFrameElement ? `${address}#navpanes=0` : address;
  return element;
}

/** Shows the start of a text as it is, also of HTML. */
function textOf(bytes: Uint8Array, { fileName, charset }: About): Node {
  const text = document.createElement('pre');
  text.tabIndex = 0;
  text.role = 'region';
  text.ariaLabel = fileName;
  const isCut = bytes.length > maxTextBytes;
  text.textContent = decodeText(bytes.subarray(0, maxTextBytes), { charset, isCut });
  const preview = new DocumentFragment();
  preview.append(text);
  if (isCut) {
    preview.append(
      paragraph('This is the start of the text. Download the file to read all of it.'),
    );
  }
  return preview;
}

function unreadable(): HTMLElement {
  return paragraph('Your browser cannot show this file. Download it to open it in a program.');
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p');
  element.className = 'note';
  element.textContent = text;
  return element;
}
