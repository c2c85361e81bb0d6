/** HMAC-SHA256 (RFC 2104) on `node:crypto` where the platform has it, elsewhere on Web Crypto. */
import { encode } from './body.ts';

/** Returns the HMAC-SHA256 of the parts, joined, in base64. */
export type Hmac = (...parts: Uint8Array<ArrayBuffer>[]) => string | Promise<string>;

/** The cryptography of a platform. */
export interface Hmacs {
  /** Returns the function of a key. */
  of(key: Uint8Array<ArrayBuffer>): Hmac;
  /** Compares two ASCII texts of the same length in constant time. */
  equal(a: string, b: string): boolean;
}

/** The used part of `node:crypto`, whose types browsers do not have. */
interface NodeCrypto {
  createSecretKey(bytes: Uint8Array): object;
  createHmac(
    algorithm: 'sha256',
    key: object,
  ): { update(part: Uint8Array): unknown; digest(encoding: 'base64'): string };
  timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
}

interface Platform {
  readonly process?: { getBuiltinModule?(id: string): unknown };
}

/** Node, Bun, Deno and Workers with `nodejs_compat` have the module. An import of it would break bundles for browsers. */
export function platformHmacs(): Hmacs {
  const { process } = globalThis as Platform;
  const node = process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined;
  if (node === undefined) return webHmacs;
  const { createHmac, createSecretKey, timingSafeEqual } = node;
  return {
    of(bytes) {
      const key = createSecretKey(bytes);
      return (...parts) => {
        const hmac = createHmac('sha256', key);
        for (const part of parts) hmac.update(part);
        return hmac.digest('base64');
      };
    },
    equal: (a, b) => timingSafeEqual(encode(a), encode(b)),
  };
}

const webHmacs: Hmacs = {
  of(bytes) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    return async (...parts) => {
      const message = await new Blob(parts).arrayBuffer();
      const digest = new Uint8Array(await crypto.subtle.sign('HMAC', await key, message));
      return btoa(String.fromCharCode(...digest));
    };
  },
  equal(a, b) {
    let difference = 0;
    for (let index = 0; index < a.length; index += 1) {
      difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
    }
    return difference === 0;
  },
};
