/** The languages of the pages. */
export type Language = 'en' | 'de';

/**
 * Returns the language that a browser prefers (RFC 9110, section 12.5.4); English when it names neither.
 *
 * @param accepted the header Accept-Language
 */
export function languageOf(accepted: string | undefined): Language {
  let best: Language = 'en';
  let bestQuality = 0;
  for (const range of (accepted ?? '').split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = name === '*' ? 'en' : name.split('-')[0];
    const quality = qualityOf(parameters);
    if ((language === 'en' || language === 'de') && quality > bestQuality) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  const quality = Number(given.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
