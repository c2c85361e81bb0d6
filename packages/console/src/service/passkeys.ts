/** Passkeys that unlock the keyring, by the PRF extension of WebAuthn. The service learns nothing of their use. */
import type { Keyring } from '@document-vault/sdk';
import { passkeyInput } from '@document-vault/sdk/crypto';

/** The authenticator cannot derive secrets: it has no PRF extension. */
export class PasskeyError extends Error {}

export interface NewPasskey {
  readonly prf: Uint8Array;
  readonly credentialId: Uint8Array<ArrayBuffer>;
}

/** Without user verification, some authenticators derive another secret. */
const userVerification = 'required';

/** The responses prove nothing to the service, which does not get them. */
const challenge = () => crypto.getRandomValues(new Uint8Array(32));

const extensions = () => ({ prf: { eval: { first: passkeyInput() } } });

/** Whether the browser has passkeys. */
export const supportsPasskeys = typeof PublicKeyCredential === 'function';

/** Whether a passkey can unlock the keyring in this browser. */
export function hasPasskey(keyring: Keyring): boolean {
  return supportsPasskeys && passkeysOf(keyring).length > 0;
}

/** The ids of the keyring's passkeys. */
function passkeysOf({ unlockers }: Keyring): Uint8Array<ArrayBuffer>[] {
  return unlockers.flatMap(({ credentialId }) =>
    credentialId ? [Uint8Array.from(atob(credentialId), (char) => char.charCodeAt(0))] : [],
  );
}

/**
 * Creates a passkey on an authenticator that has none of the keyring.
 *
 * @param name - the name of the account that the browser shows
 * @throws PasskeyError, and DOMException when the user cancels (`NotAllowedError`) or the authenticator has one
 *   (`InvalidStateError`)
 */
export async function createPasskey(keyring: Keyring, name: string): Promise<NewPasskey> {
  const created = (await navigator.credentials.create({
    publicKey: {
      rp: { name: 'Document Vault' },
      // Random: authenticators replace a passkey with the same user id, and a passkey of a login must stay.
      user: { id: challenge(), name, displayName: name },
      challenge: challenge(),
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -257 },
      ],
      authenticatorSelection: { userVerification, residentKey: 'preferred' },
      excludeCredentials: passkeysOf(keyring).map((id) => ({ type: 'public-key', id })),
      extensions: extensions(),
    },
  })) as PublicKeyCredential;
  const { enabled, results } = created.getClientExtensionResults().prf ?? {};
  if (!enabled) throw new PasskeyError();
  const credentialId = new Uint8Array(created.rawId);
  // Many authenticators derive secrets only for a passkey that exists.
  const prf = results ? bytesOf(results.first) : await derive([credentialId]);
  return { prf, credentialId };
}

/**
 * Returns the secret of one of the keyring's passkeys, 32 bytes.
 *
 * @throws PasskeyError, and DOMException when the user cancels (`NotAllowedError`)
 */
export function readPasskey(keyring: Keyring): Promise<Uint8Array> {
  return derive(passkeysOf(keyring));
}

async function derive(credentialIds: readonly Uint8Array<ArrayBuffer>[]): Promise<Uint8Array> {
  const used = (await navigator.credentials.get({
    publicKey: {
      challenge: challenge(),
      allowCredentials: credentialIds.map((id) => ({ type: 'public-key', id })),
      userVerification,
      extensions: extensions(),
    },
  })) as PublicKeyCredential;
  const { results } = used.getClientExtensionResults().prf ?? {};
  if (!results) throw new PasskeyError();
  return bytesOf(results.first);
}

function bytesOf(source: BufferSource): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
