/** What texts are compared by without regard to case: names in searches and orders, email addresses. */
export function fold(text: string): string {
  // The sigma is the one letter whose lower case depends on what stands around it, and a part of a text
  // stands alone.
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}
