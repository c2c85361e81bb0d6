/** The packages that make the peers, as they are installed here. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

function manifestOf(packageName: string): string {
  const path = findPackageJSON(packageName, import.meta.url);
  if (path === undefined) throw new Error(`${packageName} is not installed: npm install`);
  return path;
}

export function isInstalled(packageName: string): boolean {
  try {
    return findPackageJSON(packageName, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

export function installedFile(packageName: string, path: string): string {
  return join(dirname(manifestOf(packageName)), path);
}

export function installedVersion(packageName: string): string {
  const { version } = JSON.parse(readFileSync(manifestOf(packageName), 'utf8'));
  return `${packageName} ${version}`;
}
