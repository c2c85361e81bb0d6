/** The page: signs in, uploads files of any size, lists and plays them. README.md says how to run it. */
import { startServing } from './decrypted-files.ts';
import { element, showProblem } from './elements.ts';
import { showFiles } from './files.ts';
import { problemText } from './problems.ts';
import { wireUploads } from './upload.ts';
import { openVault } from './vault.ts';

const form = element('#sign-in', HTMLFormElement);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const data = new FormData(form);
  const [email, password, passphrase] = ['email', 'password', 'passphrase'].map((field) =>
    String(data.get(field)),
  ) as [string, string, string];
  const buttons = [...form.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  showProblem(form, undefined);
  try {
    const vault = await openVault(
      { email, password, passphrase },
      event.submitter?.id === 'register',
    );
    // A later failure must not lose it.
    if (vault.recoveryKey) showRecoveryKey(vault.recoveryKey);
    await startServing();
    await wireUploads(vault, () => showFiles(vault));
    await showFiles(vault);
    form.reset();
    form.hidden = true;
    element('#vault', HTMLElement).hidden = false;
  } catch (error) {
    showProblem(form, problemText(error));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
});

function showRecoveryKey(recoveryKey: string | undefined): void {
  const card = element('#recovery', HTMLElement);
  const place = element('#recovery-key', HTMLElement);
  place.textContent = recoveryKey ?? '';
  card.hidden = recoveryKey === undefined;
  element('button', HTMLButtonElement, card).onclick = () => showRecoveryKey(undefined);
}
