import { createHmac, hash, randomBytes, randomInt } from 'node:crypto';

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 32 random bytes in base64url: refresh tokens and share tokens. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** `service_sk_` and 40 alphanumeric characters. */
export function randomApiKey(): string {
  const characters = Array.from({ length: 40 }, () => alphanumerics[randomInt(62)]);
  return `service_sk_${characters.join('')}`;
}

/**
 * How tokens and keys are stored and looked up. They carry at least 238 random bits, so that a plain
 * hash cannot be guessed back.
 */
export function digest(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** The token that follows this one; only who holds both the token and the server's secret can tell it. */
export function deriveToken(token: string, serverSecret: Uint8Array): string {
  return createHmac('sha256', serverSecret).update(token).digest('base64url');
}
