/** `npm run bench -- --help` says what can be measured. */
import { ArgumentError, helpText } from './arguments.ts';
import { compare } from './compare.ts';
import { databases } from './databases.ts';
import { deliveries } from './deliveries.ts';
import { writeFigures } from './figures.ts';
import { oauth } from './oauth.ts';
import { profile } from './profile.ts';
import { sdk } from './sdk.ts';
import { verify } from './verify.ts';

const commands = new Map<string, (args: readonly string[]) => Promise<void>>([
  ['profile', profile],
  ['databases', databases],
  ['deliveries', deliveries],
  ['verify', verify],
  ['sdk', sdk],
  ['oauth', oauth],
  ['figures', writeFigures],
]);

/** Measures everything with its defaults, and writes the figures into the README. */
async function measureAll(): Promise<void> {
  for (const command of [compare, deliveries, verify, sdk]) await command([]);
  await writeFigures();
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return console.log(helpText);
  if (args.length === 0) return measureAll();
  const command = commands.get(args[0] ?? '');
  return command ? command(args.slice(1)) : compare(args);
}

// The processes that were started, some of them stopped, end with this one in good order alone.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error;
  console.error(`${error.message}\n\n${helpText}`);
  process.exitCode = 1;
}
