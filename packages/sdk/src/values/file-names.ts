/** Names and types of files. */

/** Media types by extension: what people store in a vault, and what browsers show. */
const types: Readonly<Record<string, string>> = {
  '7z': 'application/x-7z-compressed',
  avif: 'image/avif',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  epub: 'application/epub+zip',
  gif: 'image/gif',
  gz: 'application/gzip',
  heic: 'image/heic',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  m4a: 'audio/mp4',
  md: 'text/markdown',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  ogg: 'audio/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rtf: 'application/rtf',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  txt: 'text/plain',
  vcf: 'text/vcard',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

/**
 * Returns the media type of a file by its extension; `application/octet-stream` when it is not known. It does not
 * look at the content.
 *
 * @example
 * const mimeType = mimeTypeOf('Return 2026.PDF'); // application/pdf
 */
export function mimeTypeOf(name: string): string {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(types, extension)
    ? (types[extension] as string)
    : 'application/octet-stream';
}

/** What Windows, macOS or Linux refuse in names, and controls that change the order of what people read. */
const refused =
  /[\p{Cc}\p{Surrogate}\p{Zl}\p{Zp}<>:"/\\|?*\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Names of devices of Windows, with any extension. */
const device = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?=\s*(\.|$))/i;

/** The limit of most file systems, in bytes of UTF-8. */
const maxBytes = 255;

/**
 * Returns a name under which every system stores a file, from a name that others have chosen. Characters that some
 * system refuses become `_`; a name that is too long is cut before its extension. Different names can become the same:
 * do not overwrite a file that exists.
 *
 * @example
 * await writeFile(join(folder, safeFileName(fileName)), bytes, { flag: 'wx' });
 */
export function safeFileName(name: string): string {
  const plain = withoutEnd(name.replace(refused, '_').trim()).replace(device, '_$1');
  const [extension = ''] = /\.\w{1,16}$/.exec(plain) ?? [];
  const characters = [...plain.slice(0, plain.length - extension.length)];
  let left = maxBytes - extension.length;
  const kept = characters.filter((character) => {
    left -= new TextEncoder().encode(character).length;
    return left >= 0;
  });
  return withoutEnd(kept.join('') + extension) || '_';
}

/** Removes dots and blanks at the end, which Windows refuses. A loop: `/[. ]+$/` takes the square of the length. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  return name.slice(0, end);
}
