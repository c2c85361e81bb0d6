/**
 * Returns additional data that name the version of the format, a use and its subject, so that no ciphertext passes for
 * another one: UTF-8 of `document-vault/3/` and the parts, joined by `/`. Only the base64 of a public key contains a
 * `/`, and it is the last part.
 */
export function contextOf(...parts: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`document-vault/3/${parts.join('/')}`);
}

/**
 * Returns the input of the PRF extension with which a passkey unlocks: `extensions.prf.eval.first` of
 * `navigator.credentials.get`, with `userVerification: 'required'`. A constant, so that no service can choose it.
 *
 * @example
 * const extensions = { prf: { eval: { first: passkeyInput() } } };
 */
export function passkeyInput(): Uint8Array<ArrayBuffer> {
  return contextOf('prf');
}
