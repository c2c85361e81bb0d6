import { type DocumentVault, NotFoundError } from '@document-vault/sdk';
import { element, showProblem } from './elements.ts';
import { sendingProblem } from './problems.ts';

/**
 * Wires the form that unlocks the client. It creates the keyring of an account that has none.
 *
 * @param onUnlocked - receives the recovery key of a new keyring
 */
export function wireUnlock(
  client: DocumentVault,
  onUnlocked: (recoveryKey: string | undefined) => void,
): void {
  const form = element('#unlock', HTMLFormElement);
  const button = element('button', HTMLButtonElement, form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const passphrase = String(new FormData(form).get('passphrase'));
    button.disabled = true;
    showProblem(form, undefined);
    try {
      onUnlocked(await unlock(client, passphrase));
      form.reset();
    } catch (error) {
      showProblem(form, sendingProblem(error));
    } finally {
      button.disabled = false;
    }
  });
}

async function unlock(client: DocumentVault, passphrase: string): Promise<string | undefined> {
  try {
    await client.unlock({ passphrase });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return (await client.keyring.create({ passphrase })).recoveryKey;
  }
}
