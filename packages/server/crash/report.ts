/** Prints a line for the person who runs the tests, whether they pass or fail. */
export function report(subject: string, facts: unknown): void {
  process.stdout.write(`${subject}: ${JSON.stringify(facts)}\n`);
}
