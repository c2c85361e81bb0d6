/** A command: its help, its options as `parseArgs` takes them, and what it does. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { editsBetween } from '../generated/rules/edits.ts';
import { type Terminal, UsageError } from './terminal.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

interface Description<Own extends Options> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly help: string;
  /** Name of the one positional argument. It is optional. Absent: there is none. */
  readonly argument?: string;
  readonly options: Own;
  run(
    args: { readonly values: Values<Own>; readonly argument: string | undefined },
    terminal: Terminal,
  ): Promise<void>;
}

type Values<Own extends Options> = ReturnType<typeof parseArgs<{ options: Own }>>['values'];

export interface Command {
  readonly name: string;
  readonly summary: string;
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

/** Makes a command of its description. `--help` prints its help and runs nothing. */
export function defineCommand<const Own extends Options>(description: Description<Own>): Command {
  const { name, summary, help, argument, options, run } = description;
  return {
    name,
    summary,
    async run(args, terminal) {
      const { values, positionals } = parse(args, options);
      if (values.help) return terminal.print(help);
      // The arguments are not repeated, because one may be a secret.
      if (positionals.length > (argument === undefined ? 0 : 1)) {
        throw new UsageError(
          argument === undefined
            ? 'The command takes only options.'
            : `Pass one ${argument}, not ${positionals.length}.`,
        );
      }
      await run({ values: values as Values<Own>, argument: positionals[0] }, terminal);
    },
  };
}

/** @throws {@link UsageError} for an unknown option, or an option without its value */
function parse(args: readonly string[], own: Options) {
  try {
    const options = { ...own, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS_')) throw error;
    throw new UsageError(message.replaceAll('\n', ' '), { cause: error });
  }
}

/** The largest number of suggestions for an unknown name. */
const maxSuggestions = 3;

/**
 * Returns the names most similar to an unknown one, the most similar first. At most two characters
 * differ, or a third of all characters if that is more.
 */
export function nearestNames(typed: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, distance: editsBetween(typed.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, typed.length / 3, name.length / 3))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}
