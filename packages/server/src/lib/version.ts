import manifest from '../../package.json' with { type: 'json' };
import { OperatorError } from './operator-error.ts';

/** The version of this package. */
export const version: string = manifest.version;

/**
 * Checks the version of Node. SQLite's binding crashes an older one without a message.
 *
 * @throws OperatorError
 */
export function assertNodeVersion(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 12)) {
    throw new OperatorError(
      `The server needs Node 22.12 or newer; this is Node ${process.versions.node}. Update Node.`,
    );
  }
}
