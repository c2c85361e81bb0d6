import type { IconName } from '../../components/icon-names.ts';

/** How a media type is shown. */
export interface Kind {
  readonly icon: IconName;
  /** A name that is the same in every language. */
  readonly label: string;
}

const known: Readonly<Record<string, Kind>> = {
  'application/pdf': { icon: 'file-text', label: 'PDF' },
  'application/zip': { icon: 'file-archive', label: 'ZIP' },
  'application/gzip': { icon: 'file-archive', label: 'GZIP' },
  'application/json': { icon: 'file-text', label: 'JSON' },
  'application/msword': { icon: 'file-text', label: 'Word' },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    icon: 'file-text',
    label: 'Word',
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    icon: 'file-text',
    label: 'Excel',
  },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': {
    icon: 'file-text',
    label: 'PowerPoint',
  },
  'application/octet-stream': { icon: 'file', label: '–' },
  'text/plain': { icon: 'file-text', label: 'TXT' },
  'image/svg+xml': { icon: 'file-image', label: 'SVG' },
};

const icons: Readonly<Record<string, IconName>> = {
  image: 'file-image',
  audio: 'file-audio',
  video: 'file-video',
  text: 'file-text',
};

/** The types that the filter offers before documents of others are on the page. */
export const usualTypes = [
  'application/pdf',
  'image/jpeg',
  'image/png',
  'text/plain',
  'video/mp4',
  'application/zip',
];

/** Returns icon and label of a media type. */
export function kindOf(mimeType: string): Kind {
  const [type = '', subtype = ''] = mimeType.split('/');
  return known[mimeType] ?? { icon: icons[type] ?? 'file', label: shortened(subtype) };
}

function shortened(subtype: string): string {
  const name = subtype.replace(/^(x-|vnd\.)/, '').replace(/\+.*$/, '');
  return name.length <= 5 ? name.toUpperCase() : name;
}
