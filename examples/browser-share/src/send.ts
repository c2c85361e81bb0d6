/**
 * The sender's page: signs in, unlocks, encrypts a file, uploads it and creates a link.
 *
 * Prerequisites: `npm install` and `npm run build`, and a server (`npm start`); then
 * `npx vite examples/browser-share`, in the root. Another server is named by VITE_VAULT_URL.
 */
import { DocumentVault, LockedError, type UploadProgress } from '@document-vault/sdk';
import { shareUrl } from '@document-vault/sdk/share';
import { localStorageTokenStore } from '@document-vault/sdk/stores';
import { element, showProblem } from './elements.ts';
import { sendingProblem } from './problems.ts';
import { baseUrl } from './service.ts';
import { wireSignIn } from './sign-in.ts';
import { sizeText } from './size.ts';
import { wireUnlock } from './unlock.ts';

const vaultName = 'Sent files';

const store = localStorageTokenStore();
const client = new DocumentVault({ baseUrl, session: { store, onExpired: () => show('sign-in') } });
const form = element('#send', HTMLFormElement);
const fileInput = element('[name=file]', HTMLInputElement, form);
const fileName = element('#file-name', HTMLElement);
const fileHint = element('#file-hint', HTMLElement);
const button = element('[type=submit]', HTMLButtonElement, form);
const linkInput = element('#link', HTMLInputElement);
const copied = element('#copied', HTMLElement);

const states = ['sign-in', 'unlock', 'keep', 'send', 'done'] as const;
type State = (typeof states)[number];

function show(state: State): void {
  for (const id of states) element(`#${id}`, HTMLElement).hidden = id !== state;
  element('#account', HTMLElement).hidden = state === 'sign-in';
}

function welcome(email: string): void {
  element('#email-of-account', HTMLElement).textContent = email;
  show('unlock');
}

function start(recoveryKey: string | undefined): void {
  element('#recovery-key', HTMLElement).textContent = recoveryKey ?? '';
  show(recoveryKey ? 'keep' : 'send');
}

const phases: Record<UploadProgress['phase'], string> = {
  reading: 'Reading the file',
  encrypting: 'Encrypting on this device',
  uploading: 'Uploading what is encrypted',
};

function showProgress(text: string | undefined, done?: number): void {
  element('#progress', HTMLElement).hidden = text === undefined;
  if (text === undefined) return;
  const bar = element('progress', HTMLProgressElement, form);
  if (done === undefined) bar.removeAttribute('value');
  else bar.value = done;
  const phase = element('#phase', HTMLElement);
  // Screen readers would read out the same text at every step.
  if (phase.textContent !== text) phase.textContent = text;
}

function onProgress({ phase, loaded, total }: UploadProgress): void {
  // Encryption is reported at its start and end alone: the bar is indeterminate in between.
  const known = phase !== 'encrypting' && total ? loaded / total : undefined;
  showProgress(`${phases[phase]}…`, known);
}

/** Returns the id of this page's vault. Creates the vault for the first file. */
async function vaultId(): Promise<string> {
  for await (const { id, name } of client.vaults.list({ search: vaultName, isActive: true })) {
    if (name === vaultName) return id;
  }
  return (await client.vaults.create({ name: vaultName })).id;
}

async function send(file: File, data: FormData): Promise<{ link: string; summary: string }> {
  const document = await client.documents.upload(file, {
    vaultId: await vaultId(),
    encryptFileName: true,
    onProgress,
  });
  const ends = new Date(Date.now() + Number(data.get('hours')) * 3_600_000);
  const share = await client.shares.create(document.id, {
    access: 'anyone',
    expiresAt: ends.toISOString(),
    maxAccessCount: Number(data.get('cap')) || null,
  });
  const page = new URL('open.html', location.href).href;
  const when = ends.toLocaleString('en', { dateStyle: 'long', timeStyle: 'short' });
  return {
    link: await shareUrl(share, { document, page }),
    summary: `${file.name} (${sizeText(file.size)}) can be opened ${often(share.maxAccessCount)} until ${when}.`,
  };
}

function often(cap: number | null): string {
  if (cap === null) return 'any number of times';
  return cap === 1 ? 'once' : `${cap} times`;
}

function showFile(): void {
  const file = fileInput.files?.[0];
  fileName.textContent = file?.name ?? 'Choose a file, or drop one here';
  fileHint.textContent = file ? sizeText(file.size) : 'Encrypted before it leaves this device';
}

fileInput.addEventListener('change', showFile);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const file = fileInput.files?.[0];
  if (!file) return;
  button.disabled = true;
  showProblem(form, undefined);
  try {
    const { link, summary } = await send(file, new FormData(form));
    linkInput.value = link;
    element('#summary', HTMLElement).textContent = summary;
    form.reset();
    showFile();
    show('done');
    element('#done-title', HTMLElement).focus();
  } catch (error) {
    // Another user has logged in, in another tab.
    if (error instanceof LockedError) show('unlock');
    else showProblem(form, sendingProblem(error));
  } finally {
    showProgress(undefined);
    button.disabled = false;
  }
});

element('#copy', HTMLElement).addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(linkInput.value);
    copied.textContent = 'Copied.';
  } catch {
    linkInput.select();
    copied.textContent = 'The browser does not allow it: copy the selected link yourself.';
  }
});
element('#again', HTMLElement).addEventListener('click', () => {
  linkInput.value = '';
  copied.textContent = '';
  show('send');
  fileInput.focus();
});
element('#kept', HTMLElement).addEventListener('click', () => start(undefined));
element('#sign-out', HTMLElement).addEventListener('click', async () => {
  show('sign-in');
  linkInput.value = '';
  await client.auth.logout();
});

wireSignIn(client, welcome);
wireUnlock(client, start);
if (await store.get()) {
  // A returning user. If the session has ended meanwhile, the form appears.
  client.users.me().then(
    ({ email }) => welcome(email),
    () => show('sign-in'),
  );
} else {
  show('sign-in');
}
