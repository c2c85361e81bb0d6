// Generated from openapi/rules/passwords.ts by `npm run generate`. Do not edit.

import { violation } from './errors.ts';
import { codePoints } from './formats.ts';

// The rules for passwords that a schema cannot express.

/** Characters (code points) of the shortest password. */
const shortest = 12;

/**
 * Returns a password as it is hashed and compared: in NFC, so that all keyboards produce the same characters (RFC 8265,
 * section 4.2.1).
 */
export function normalPassword(password: string): string {
  return password.normalize('NFC');
}

/** @throws the error for a new password that is too short in NFC, where a letter with its accent is one character */
export function requireLongPassword(password: string): void {
  if (codePoints(normalPassword(password)) >= shortest) return;
  const message = `password must have at least ${shortest} characters; a letter with its accent is one.`;
  throw violation('password', 'minLength', message);
}
