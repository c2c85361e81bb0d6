import type { Page } from 'playwright-core';
import { passphrase, type TestConsole } from './console.ts';

/** Adds an authenticator whose user agrees at once. Returns a function that counts its passkeys. */
export async function addAuthenticator(
  page: Page,
  { hasPrf = true } = {},
): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      hasPrf,
    },
  });
  return async () => {
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials.length;
  };
}

/** Fills in what a change of the keyring requires. */
export async function fillProof(
  page: Page,
  { server }: TestConsole,
  present: { readonly recoveryKey?: string; readonly passphrase?: string } = {},
): Promise<void> {
  if (present.recoveryKey) {
    await page.getByRole('radio', { name: 'Recovery key' }).check();
    await page.locator('[name=currentRecoveryKey]').fill(present.recoveryKey);
  } else await page.locator('[name=currentPassphrase]').fill(present.passphrase ?? passphrase);
  await page.locator('[name=currentPassword]').fill(server.account?.password ?? '');
}
