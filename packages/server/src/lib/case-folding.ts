/** Returns the form for case-insensitive comparison, of names in searches and orders and of email addresses. */
export function fold(text: string): string {
  // The lower case of sigma alone depends on its neighbours, which a search for a part of a name lacks.
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}
