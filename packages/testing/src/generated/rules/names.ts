// Generated from openapi/rules/names.ts by `npm run generate`. Do not edit.

// The rule of names that one person writes and others read.

/** Characters that shape their neighbours: several scripts and emoji need them. */
const shaping = /[\p{Variation_Selector}\u180e\u200c\u200d]/gu;

/** Flags of regions, such as Scotland: a flag, and letters that are invisible elsewhere. */
const regionFlags = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;

/**
 * Characters without a glyph. The default ignorable ones include soft hyphens, fillers and bidirectional controls,
 * which display `invoice\u202efdp.exe` as `invoiceexe.pdf`. U+2800 is a blank of Braille.
 */
const invisible =
  /[\p{Cc}\p{Surrogate}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** Whether people see every character of a name: none looks empty, or like another one. */
export function isName(text: string): boolean {
  const rest = text.replaceAll(regionFlags, '\u{1f3f4}').replaceAll(shaping, '');
  return rest.trim() !== '' && !invisible.test(rest);
}

/** Whether a name can be that of a file. `.` and `..` are folders. */
export function isFileName(name: unknown): name is string {
  if (typeof name !== 'string' || name === '.' || name === '..') return false;
  return isName(name) && !/[/\\]/.test(name);
}
