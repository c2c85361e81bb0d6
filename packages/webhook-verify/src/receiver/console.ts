/** Where failures go that no framework's log takes. */
export function writeToConsole(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: A receiver must not refuse in silence.
  console.error(error);
}
