import { PermissionError } from '@document-vault/sdk';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  Checkbox,
  FormError,
  FormView,
  SecretField,
  Submit,
  TextField,
  useForm,
} from '../components/form.tsx';
import { Note } from '../components/states.tsx';
import { common } from '../messages/common.ts';
import { client, hasExpired, send, signIn } from '../service/client.ts';
import { changeStorage, readStorage } from '../service/storage.ts';
import { Logo } from '../shell/logo.tsx';
import { Preferences } from '../shell/preferences.tsx';
import { sessionTexts } from './messages.ts';

/** Remembers the last choice of "stay signed in". */
const stayEntry = 'console.staySignedIn';

/** The page before a session: signing in, and registering. */
export function Welcome() {
  const [isNew, setNew] = useState(false);
  const [isRegistered, setRegistered] = useState(false);
  const t = sessionTexts.value;
  const signInNext = () => {
    setRegistered(true);
    setNew(false);
  };
  const switchForm = () => {
    setRegistered(false);
    setNew(!isNew);
  };
  return (
    <main class="welcome">
      <div class="welcome-card">
        <header class="welcome-brand">
          <Logo />
          <Preferences />
        </header>
        {isNew ? <Register onRegistered={signInNext} /> : <SignIn isRegistered={isRegistered} />}
        <p class="welcome-switch">
          {isNew ? t.haveAccount : t.newHere}{' '}
          <button type="button" class="link" onClick={switchForm}>
            {isNew ? t.signIn : t.register}
          </button>
        </p>
      </div>
    </main>
  );
}

function Heading({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} – Document Vault`;
  }, [title]);
  return (
    <div class="welcome-heading">
      <h1>{title}</h1>
      <p class="soft">{children}</p>
    </div>
  );
}

/** @param isNew - for an account that is created */
function LoginFields({ isNew = false }: { readonly isNew?: boolean }) {
  const t = sessionTexts.value;
  const [wasChosen] = useState(() => readStorage(stayEntry) === 'on');
  return (
    <>
      <TextField
        name="email"
        label={common.value.email}
        type="email"
        autocomplete="username"
        required
        autofocus={!isNew}
      />
      <SecretField
        name="password"
        label={common.value.password}
        hint={isNew && common.value.passwordHint}
        autocomplete={isNew ? 'new-password' : 'current-password'}
        minlength={isNew ? 12 : undefined}
        required
      />
      <Checkbox name="staySignedIn" label={t.stay} hint={t.stayHint} defaultChecked={wasChosen} />
    </>
  );
}

function signInWith(values: Record<string, string>): Promise<void> {
  const { email = '', password = '', staySignedIn } = values;
  changeStorage(() => localStorage.setItem(stayEntry, staySignedIn ?? 'off'));
  return signIn({ email, password, staySignedIn: staySignedIn === 'on' });
}

/** @param isRegistered - the account was created, and its first login failed */
function SignIn({ isRegistered }: { readonly isRegistered: boolean }) {
  const t = sessionTexts.value;
  const form = useForm(signInWith);
  return (
    <>
      <Heading title={t.signIn}>{t.signInLead}</Heading>
      {isRegistered && <Note kind="info">{t.registered}</Note>}
      {hasExpired.value && <Note kind="info">{common.value.sessionEnded}</Note>}
      <FormView form={form}>
        <LoginFields />
        <FormError />
        <Submit action={t.signIn} />
      </FormView>
    </>
  );
}

function Register({ onRegistered }: { readonly onRegistered: () => void }) {
  const t = sessionTexts.value;
  const [isClosed, setClosed] = useState(false);
  const form = useForm(async (values) => {
    const { email = '', password = '', name = '' } = values;
    try {
      await send(client.auth.register({ email, password, name }));
    } catch (error) {
      if (!(error instanceof PermissionError)) throw error;
      setClosed(true);
      return;
    }
    // A second attempt would be refused: the account exists.
    await signInWith(values).catch(onRegistered);
  });
  return (
    <>
      <Heading title={t.register}>{t.registerLead}</Heading>
      <FormView form={form}>
        <TextField name="name" label={common.value.name} autocomplete="name" required autofocus />
        <LoginFields isNew />
        {isClosed && <Note kind="error">{t.closed}</Note>}
        <FormError />
        <Submit action={t.register} />
      </FormView>
    </>
  );
}
