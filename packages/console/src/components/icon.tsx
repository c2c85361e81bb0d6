import type { IconName } from './icon-names.ts';

/** The file name of the sprite; the build sets it. */
declare const ICONS_FILE: string;

const script = import.meta.url;
const sprite = new URL(ICONS_FILE, script).pathname;

interface IconProps {
  readonly name: IconName;
  /** Height and width in CSS pixels. @default 16 */
  readonly size?: number;
}

/** An icon. It is decoration: the text or the label beside it has its meaning. */
export function Icon({ name, size = 16 }: IconProps) {
  return (
    <svg class="icon" width={size} height={size} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
