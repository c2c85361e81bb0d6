import manifest from '../package.json' with { type: 'json' };

/** The version of this package. */
export const version: string = manifest.version;

/** This version of Node cannot run the server. */
export class UnsupportedNodeError extends Error {
  override readonly name = 'UnsupportedNodeError';
}

/**
 * SQLite's binding crashes an older Node instead of saying so.
 *
 * @throws UnsupportedNodeError
 */
export function assertNodeVersion(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 12)) {
    throw new UnsupportedNodeError(
      `The server needs Node 22.12 or newer; this is ${process.versions.node}.`,
    );
  }
}
