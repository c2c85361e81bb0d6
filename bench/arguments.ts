/** What the commands of this folder understand. */
import { parseArgs } from 'node:util';
import { type ScenarioName, scenarioNames } from './scenarios.ts';

/** A mistake on the command line, in a sentence. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

export interface ProfileArguments {
  readonly seconds: number;
  readonly only: readonly ScenarioName[];
  /** Where the profiles are written. */
  readonly folder: string;
  /** Rows of a table. */
  readonly top: number;
}

export function parseProfileArguments(args: readonly string[]): ProfileArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '5' },
      only: { type: 'string', default: scenarioNames.join(',') },
      folder: { type: 'string', default: 'bench/profiles' },
      top: { type: 'string', default: '25' },
    },
  });
  return {
    seconds: positive('--seconds', values.seconds),
    only: chosen('--only', values.only, scenarioNames),
    folder: values.folder,
    top: positive('--top', values.top),
  };
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new ArgumentError(`${flag} ${text}: not a number above 0`);
  return value;
}

function chosen<T extends string>(flag: string, text: string, names: readonly T[]): T[] {
  const asked = text.split(',');
  const unknown = asked.filter((name) => !names.some((known) => known === name));
  if (unknown.length > 0) {
    throw new ArgumentError(`${flag} ${unknown.join(',')}: choose from ${names.join(', ')}`);
  }
  return names.filter((name) => asked.includes(name));
}
