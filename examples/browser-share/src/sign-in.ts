import type { DocumentVault } from '@document-vault/sdk';
import { element, showProblem } from './elements.ts';
import { sendingProblem } from './problems.ts';

/** Wires the form that signs a user in or creates an account. */
export function wireSignIn(client: DocumentVault, onSignedIn: (email: string) => void): void {
  const form = element('#sign-in', HTMLFormElement);
  const button = element('button', HTMLButtonElement, form);
  const isNew = () => new FormData(form).get('mode') === 'register';
  form.addEventListener('change', () => {
    showProblem(form, undefined);
    element('#name-field', HTMLElement).hidden = !isNew();
    element('#password-hint', HTMLElement).hidden = !isNew();
    element('[name=name]', HTMLInputElement, form).required = isNew();
    const password = element('[name=password]', HTMLInputElement, form);
    password.autocomplete = isNew() ? 'new-password' : 'current-password';
    if (isNew()) password.minLength = 12;
    else password.removeAttribute('minlength');
    button.textContent = isNew() ? 'Create the account' : 'Sign in';
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const [name, email, password] = ['name', 'email', 'password'].map((field) =>
      String(data.get(field)),
    ) as [string, string, string];
    button.disabled = true;
    showProblem(form, undefined);
    try {
      if (isNew()) await client.auth.register({ name, email, password });
      await client.auth.login({ email, password });
      form.reset();
      form.dispatchEvent(new Event('change'));
      onSignedIn(email);
    } catch (error) {
      showProblem(form, sendingProblem(error));
    } finally {
      button.disabled = false;
    }
  });
}
