import { type Cipher, ConnectionError, type Document, TimeoutError } from '@document-vault/sdk';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { FormError, FormView, SecretField, Submit, useForm } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { lazy } from '../components/lazy.tsx';
import { Await, Loading, Note } from '../components/states.tsx';
import { isSecure } from '../service/addresses.ts';
import { userId } from '../service/client.ts';
import { cipher, cipherFor, newestDocument, newestKey, unlock } from '../service/keys.ts';
import { outdate, provide, useLoaded } from '../service/loading.ts';
import { sessionTexts } from './messages.ts';

/** Accounts need it once. */
const FirstPassphrase = lazy(() => import('./first-passphrase.tsx'));

/** Shows its children when the console is unlocked, and asks for the passphrase otherwise. */
export function NeedsKey({ children }: { readonly children: ComponentChildren }) {
  if (cipher.value) return <>{children}</>;
  if (!isSecure) return <Note kind="warning">{sessionTexts.value.insecure}</Note>;
  return cipher.value === undefined ? <Loading /> : <Unlock />;
}

/** Asks for the passphrase: the one of the newest document, or a new one for an account without documents. */
export function Unlock() {
  const id = userId.value;
  const loaded = useLoaded(id && newestKey + id, async () => ({
    document: await newestDocument(),
  }));
  useEffect(() => {
    // While the tab was hidden, the passphrase can have been changed elsewhere: the old one must not open it.
    const readAgain = () => {
      if (document.visibilityState === 'visible') outdate(newestKey);
    };
    addEventListener('visibilitychange', readAgain);
    return () => removeEventListener('visibilitychange', readAgain);
  }, []);
  return (
    <Await loaded={loaded}>
      {({ document: newest }) => (newest ? <Ask document={newest} /> : <FirstPassphrase />)}
    </Await>
  );
}

/**
 * Tries a refused passphrase with the present newest document: another device can have changed the passphrase. One
 * request. Where the browser is offline, the passphrase stays refused.
 *
 * @throws VaultError of the request
 */
async function tryAgain(passphrase: string, refusedBy: Document): Promise<Cipher | undefined> {
  const key = `${newestKey}${userId.peek()}`;
  let newest: Document | undefined;
  try {
    newest = await newestDocument({ maxRetryAfter: 0 });
  } catch (error) {
    const isUnreachable = error instanceof ConnectionError || error instanceof TimeoutError;
    if (navigator.onLine || !isUnreachable) throw error;
    return undefined;
  }
  provide(key, { document: newest });
  const keyOf = (document: Document) => JSON.stringify(document.encryptionMetadata);
  if (!newest || keyOf(newest) === keyOf(refusedBy)) return undefined;
  return cipherFor(passphrase, newest);
}

function Ask({ document }: { readonly document: Document }) {
  const t = sessionTexts.value;
  const [isWrong, setWrong] = useState(false);
  const form = useForm(async ({ passphrase = '' }) => {
    setWrong(false);
    const opened =
      (await cipherFor(passphrase, document)) ?? (await tryAgain(passphrase, document));
    if (opened) await unlock(opened);
    else setWrong(true);
  });
  useLayoutEffect(() => {
    // A dialog opens before the document is loaded, and finds no field that could get the focus.
    const dialog = form.ref.current?.closest('dialog');
    dialog?.querySelector<HTMLElement>('[name=passphrase]')?.focus();
  }, []);
  return (
    <section class="unlock">
      <span class="empty-icon">
        <Icon name="lock" size={24} />
      </span>
      <h2>{t.unlock}</h2>
      <p class="soft">{t.unlockLead}</p>
      <FormView form={form}>
        <SecretField name="passphrase" label={t.passphrase} autocomplete="off" required autofocus />
        {isWrong && !form.isBusy && <Note kind="error">{t.wrongPassphrase}</Note>}
        <FormError />
        <Submit action={t.unlockAction} busy={t.deriving} icon="lock-open" />
      </FormView>
    </section>
  );
}
