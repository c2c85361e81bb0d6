import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './failures.ts';

/** Options of every command. */
const common = { help: { type: 'boolean', short: 'h' } } as const;

type Options = NonNullable<ParseArgsConfig['options']>;

interface Grammar<Own extends Options> {
  args: string[];
  options: Own & typeof common;
  allowPositionals: true;
}

/**
 * The options and the other arguments of a command.
 *
 * @throws {@link UsageError} for an option that it does not have, or one without its value
 */
export function parseArguments<Own extends Options>(
  args: readonly string[],
  own: Own,
): ReturnType<typeof parseArgs<Grammar<Own>>> {
  try {
    const options = { ...own, ...common };
    return parseArgs<Grammar<Own>>({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS_')) throw error;
    throw new UsageError(message.replaceAll('\n', ' '), { cause: error });
  }
}

/**
 * The one argument of a command that may have one.
 *
 * @throws {@link UsageError} when there are more; it does not repeat them, one may be a secret
 */
export function onlyArgument(positionals: readonly string[], name: string): string | undefined {
  if (positionals.length > 1) {
    throw new UsageError(`Give one ${name}, not ${positionals.length}.`);
  }
  return positionals[0];
}
