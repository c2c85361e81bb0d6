import { flagOf, keys, negatedFlagOf, options, variablesOf } from './options.ts';

/** One option as the documentation shows it. */
export interface OptionDescription {
  readonly key: string;
  readonly flags: readonly string[];
  readonly variables: readonly string[];
  readonly default: string;
  readonly description: string;
}

/** Every option, in the order of the documentation. */
export function describeOptions(): OptionDescription[] {
  return keys.map((key) => {
    const { isSwitch, isSecret, shownDefaults, description } = options[key];
    const flags = isSwitch ? [flagOf(key), negatedFlagOf(key)] : [flagOf(key)];
    const { development, production } = shownDefaults;
    return {
      key,
      flags: isSecret ? [] : flags,
      variables: variablesOf(key),
      default:
        development === production ? development : `${development} (production: ${production})`,
      description,
    };
  });
}

/** All options as a table in Markdown. */
export function configTable(): string {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ');
  const rows = describeOptions().map((option) => {
    const cells = [
      code(option.flags) || 'none',
      code(option.variables),
      code([option.default]),
      option.description,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| Flag | Environment | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** All options for `--help`. */
export function helpText(): string {
  const described = describeOptions().map(({ flags, variables, default: usual, description }) =>
    [
      `  ${flags.join(', ') || variables[0]}`,
      `      ${description}`,
      `      Default: ${usual}. Environment: ${variables.join(', ')}.`,
    ].join('\n'),
  );
  return ['Options of start, by flag or environment:', '', ...described].join('\n');
}
