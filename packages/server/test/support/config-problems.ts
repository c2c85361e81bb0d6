import { type Config, ConfigError } from '../../src/config/config.ts';

/** Returns the problems for which a configuration is refused; none when it is accepted. */
export function problemsOf(attempt: () => Config): readonly string[] {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
