/** Text of others for a terminal: control characters other than tab and line feed become U+FFFD. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, '\ufffd');
}
