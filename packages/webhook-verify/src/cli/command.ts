/** The description of a command, from which its arguments are parsed and its help is written. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Terminal, UsageError } from './terminal.ts';

type Parsing = NonNullable<ParseArgsConfig['options']>[string];

/** An option as `parseArgs` takes it, with its line of help. */
type Option = Parsing & {
  /** Name of the value in the help, such as `URL`. Absent for a flag. */
  readonly value?: string;
  readonly required?: boolean;
  readonly help: string;
};

type Options = Readonly<Record<string, Option>>;

/** The options of every command. */
const common = { help: { type: 'boolean', short: 'h', help: 'print this help' } } as const;

interface Grammar<Own extends Options> {
  args: string[];
  options: Own & typeof common;
  allowPositionals: true;
}

type Values<Own extends Options> = ReturnType<typeof parseArgs<Grammar<Own>>>['values'];

interface Description<Own extends Options> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly description: string;
  /** Name of the one positional argument, such as `FILE|-`. It is optional. Absent: there is none. */
  readonly argument?: string;
  readonly options: Own;
  /** Text after the options in the help. */
  readonly footer?: string;
  run(
    args: { readonly values: Values<Own>; readonly argument: string | undefined },
    terminal: Terminal,
  ): Promise<void>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

/** Makes a command of its description. `--help` prints its help and runs nothing. */
export function defineCommand<const Own extends Options>(description: Description<Own>): Command {
  const { name, summary, run } = description;
  return {
    name,
    summary,
    async run(args, terminal) {
      const { values, positionals } = parse(args, description.options);
      // TypeScript cannot resolve `common` inside a generic type.
      if ((values as { readonly help?: boolean }).help) return terminal.print(helpOf(description));
      assertCount(positionals.length, description.argument);
      await run({ values, argument: positionals[0] }, terminal);
    },
  };
}

/** Does not repeat the arguments, because one may be a secret. */
function assertCount(count: number, argument: string | undefined): void {
  if (argument === undefined && count > 0) throw new UsageError('The command takes only options.');
  if (count > 1) throw new UsageError(`Pass one ${argument?.split('|')[0]}, not ${count}.`);
}

/** @throws {@link UsageError} for an unknown option, or an option without its value */
function parse<Own extends Options>(args: readonly string[], own: Own) {
  try {
    const options = { ...own, ...common };
    return parseArgs<Grammar<Own>>({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS_')) throw error;
    throw new UsageError(message.replaceAll('\n', ' '), { cause: error });
  }
}

function helpOf({ name, description, argument, options, footer }: Description<Options>): string {
  const usage = Object.entries(options).map(([option, { value, required }]) => {
    const text = `--${option}${value === undefined ? '' : ` ${value}`}`;
    return required ? text : `[${text}]`;
  });
  const rows = Object.entries({ ...options, ...common }).map(([option, one]: [string, Option]) => [
    `${one.short === undefined ? '' : `-${one.short}, `}--${option} ${one.value ?? ''}`.trimEnd(),
    one.help,
  ]);
  return [
    `Usage: webhook-verify ${[name, ...(argument ? [`[${argument}]`] : []), ...usage].join(' ')}`,
    wrap(description),
    helpRows(rows as [string, string][]),
    ...(footer === undefined ? [] : [footer]),
  ].join('\n\n');
}

/** Columns of a line of help. */
const lineWidth = 100;

/** Formats names and their descriptions in two columns. */
export function helpRows(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 5;
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, lineWidth - width).replaceAll('\n', `\n${' '.repeat(width)}`);
      return `  ${name.padEnd(width - 2)}${lines}`;
    })
    .join('\n');
}

/** Breaks a text into lines at spaces. */
export function wrap(text: string, width = lineWidth): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trimStart();
    if (lines.length > 0 && line.length <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** The largest number of suggestions for an unknown name. */
const maxSuggestions = 3;

/**
 * Returns the names most similar to an unknown one, the most similar first. At most two characters
 * differ, or a third of all characters if that is more.
 */
export function nearestNames(typed: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, typed.length / 3, name.length / 3))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}

/** Returns the number of inserted, removed and replaced characters (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      const removed = (row[column + 1] ?? 0) + 1;
      const inserted = (next[column] ?? 0) + 1;
      next.push(Math.min(replaced, removed, inserted));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
