/** A command as a row of the table: its help and its parser are derived from the row. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { suggestion } from '../generated/rules/parameters.ts';
import type { CommandContext } from './command-context.ts';
import { UsageError } from './errors.ts';

/** An argument or an option. */
export interface CommandParameter {
  readonly help: string;
  /** What an option takes, for the help. Absent: the option is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
  readonly default?: string;
}

type Parameters = Readonly<Record<string, CommandParameter>>;

type TextOf<P> = P extends { choices: readonly (infer Choice)[] } ? Choice : string;

type ValueOf<P> = P extends { value: string }
  ? TextOf<P> | (P extends { isRequired: true } | { default: string } ? never : undefined)
  : boolean;

/** The values of a command line: every argument is given; options that are not are undefined, switches false. */
type Given<Arguments, Options> = {
  readonly [Name in keyof Arguments]: TextOf<Arguments[Name]>;
} & { readonly [Name in keyof Options]: ValueOf<Options[Name]> };

/** What a command has done. */
export interface Report {
  /** For programs, as JSON. */
  readonly result: unknown;
  /** For people. */
  readonly lines: readonly string[];
  /** Whether the exit code is 1. */
  readonly hasFailed?: boolean;
}

interface Row<Arguments, Options> {
  /** One word, or the word of its group and its own: `user create`. */
  readonly name: string;
  readonly summary: string;
  readonly arguments?: Arguments;
  readonly options: Options;
  /** Whether the configuration parses the command line instead, which `run` gets as `args`. */
  readonly takesConfiguration?: true;
  /** Printed below the options. */
  readonly notes?: string;
  readonly examples?: readonly string[];
  run(
    given: Given<Arguments, Options>,
    context: CommandContext,
    args: readonly string[],
  ): Promise<Report>;
}

export interface Command extends Omit<Row<Parameters, Parameters>, 'run'> {
  run(
    given: Readonly<Record<string, unknown>>,
    context: CommandContext,
    args: readonly string[],
  ): Promise<Report>;
}

/** Makes a row, whose `run` gets the values with the types of its arguments and options. */
export function command<
  const Options extends Parameters,
  const Arguments extends Parameters = Record<never, CommandParameter>,
>(row: Row<Arguments, Options>): Command {
  return row;
}

/** The options of nearly every command. */
export const common = {
  json: { help: 'print JSON' },
  data: { value: 'folder', help: 'data folder (default: DOCUMENT_VAULT_DATA, or ./data)' },
} as const;

/**
 * Parses what follows the name of a command.
 *
 * @throws UsageError
 */
export function parse(
  command: Command,
  args: readonly string[],
): Readonly<Record<string, unknown>> {
  const types = Object.entries(command.options).map(([name, option]) => [
    name,
    option.value === undefined
      ? { type: 'boolean', default: false }
      : { ...option, type: 'string' },
  ]);
  const { values, positionals } = parsed(args, Object.fromEntries(types));
  const names = Object.keys(command.arguments ?? {});
  const extra = positionals.slice(names.length).join(' ');
  if (extra !== '') throw new UsageError(`Too many arguments for '${command.name}': ${extra}.`);
  for (const [index, name] of names.entries()) values[name] = positionals[index];
  for (const { name, usage, isRequired, choices } of parametersOf(command)) {
    const value = values[name];
    if (value === undefined && isRequired) throw new UsageError(`Missing ${usage}.`);
    if (value !== undefined && choices && !choices.includes(String(value))) {
      throw new UsageError(`${usage} must be one of ${choices.join(', ')}, not '${value}'.`);
    }
  }
  return values;
}

function parsed(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS_')) throw error;
    // Node goes on to explain how a value can start with a dash.
    const [problem] = message.split(/\.?\s(?:To|Did) /, 1);
    const [, unknown = ''] = /^Unknown option '(.*)'/.exec(problem ?? '') ?? [];
    const hint = suggestion(
      unknown,
      Object.keys(options).map((name) => `--${name}`),
    );
    throw new UsageError(`${problem}.${hint}`, { cause: error });
  }
}

/** Returns the arguments and options of a command, each with its form on the command line. */
function parametersOf({ arguments: named = {}, options }: Command) {
  return [
    ...Object.entries(named).map(([name, argument]) => {
      return { ...argument, name, usage: `<${name}>`, isRequired: true };
    }),
    ...Object.entries(options).map(([name, option]) => {
      return { ...option, name, usage: `--${name}${option.value ? ` <${option.value}>` : ''}` };
    }),
  ];
}

/** Returns a command with its arguments: `user set-tier <account> <tier>`. */
export function usageOf({ name, arguments: named = {} }: Command): string {
  return [name, ...Object.keys(named).map((each) => `<${each}>`)].join(' ');
}

export function helpOf(command: Command): string {
  const { summary, notes, examples = [] } = command;
  const parameters = parametersOf(command).map((parameter) => {
    return [parameter.usage, described(parameter)] as const;
  });
  const shown = ['Examples:', ...examples.map((line) => `  $ ${line}`)].join('\n');
  return [
    `Usage: document-vault ${usageOf(command)} [options]`,
    summary,
    columns([...parameters, ['-h, --help', 'print this help']]),
    ...(notes === undefined ? [] : [notes]),
    ...(examples.length > 0 ? [shown] : []),
  ].join('\n\n');
}

function described({ help, value, choices, isRequired, default: usual }: CommandParameter): string {
  const facts = [
    ...(value && isRequired ? ['required'] : []),
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(usual === undefined ? [] : [`default: ${usual}`]),
  ];
  return facts.length === 0 ? help : `${help} (${facts.join('; ')})`;
}

/** Aligns texts behind their terms, and breaks them at spaces: lines have 80 characters. */
export function columns(rows: readonly (readonly [term: string, text: string])[]): string {
  const indent = Math.max(...rows.map(([term]) => term.length)) + 4;
  const line = new RegExp(`(.{1,${Math.max(80 - indent, 30)}}|\\S+)(?: +|$)`, 'g');
  return rows
    .map(([term, text]) => {
      const lines = Array.from(text.matchAll(line), ([, part = '']) => part);
      return `  ${term.padEnd(indent - 2)}${lines.join(`\n${' '.repeat(indent)}`)}`;
    })
    .join('\n');
}
