/** Says something that whoever runs the tests should see, whether they pass or not. */
export function report(subject: string, facts: unknown): void {
  process.stdout.write(`${subject}: ${JSON.stringify(facts)}\n`);
}
