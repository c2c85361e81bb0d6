import type { CurrentUser } from '@document-vault/sdk';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { FormDialog, useDialog } from '../../components/dialog.tsx';
import {
  Checkbox,
  FormEnd,
  FormView,
  SecretField,
  TextField,
  useForm,
} from '../../components/form.tsx';
import { Options } from '../../components/options.tsx';
import { Page } from '../../components/page.tsx';
import { Await } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { client, send, signOut, user } from '../../service/client.ts';
import { amend, outdate, useLoaded } from '../../service/loading.ts';
import {
  idlePreference,
  languagePreference,
  type Preference,
  themePreference,
} from '../../shell/preferences.tsx';
import { announce } from '../../shell/toasts.tsx';
import { Usage } from '../users/usage.tsx';
import { settingTexts } from './messages.ts';

/** The account of the user, and the choices of this browser. */
export default function Settings() {
  const t = settingTexts.value;
  const loaded = useLoaded('me', () => send(client.users.me()));
  const { dialog, show } = useDialog();
  return (
    <Page title={t.title}>
      <Await loaded={loaded}>
        {(account) => (
          <>
            <Setting title={t.profile} description={t.profileText}>
              <Profile account={account} />
            </Setting>
            <Setting title={common.value.password} description={t.passwordText}>
              <Password email={account.email} />
            </Setting>
            <Setting title={t.usage} description={t.usageText}>
              <Usage usage={account.usage} />
            </Setting>
          </>
        )}
      </Await>
      <Setting title={t.appearance} description={t.appearanceText}>
        <Choice preference={languagePreference()} />
        <Choice preference={themePreference()} />
        <Choice preference={idlePreference()} />
      </Setting>
      <Setting title={t.danger} description={t.dangerText}>
        <span>
          <Button kind="danger" icon="trash-2" onClick={() => show(<DeleteAccount />)}>
            {t.danger}
          </Button>
        </span>
      </Setting>
      {dialog}
    </Page>
  );
}

interface SettingProps {
  readonly title: string;
  readonly description: string;
  readonly children: ComponentChildren;
}

function Setting({ title, description, children }: SettingProps) {
  return (
    <section class="setting">
      <div>
        <h2>{title}</h2>
        <p class="soft">{description}</p>
      </div>
      <div class="card padded stack">{children}</div>
    </section>
  );
}

function Profile({ account }: { readonly account: CurrentUser }) {
  const t = settingTexts.value;
  const form = useForm(
    async ({ name = '', email = '', currentPassword = '' }) => {
      const changesEmail = email !== account.email;
      const changed = await send(
        client.users.updateMe({ name, ...(changesEmail && { email, currentPassword }) }),
      );
      amend('me', () => changed);
      if (user.value) user.value = { ...user.value, email: changed.email };
      announce(t.saved);
    },
    ({ email, currentPassword }) =>
      email !== account.email && !currentPassword
        ? { currentPassword: () => settingTexts.value.passwordNeeded }
        : {},
  );
  return (
    <FormView form={form}>
      <TextField
        name="name"
        label={common.value.name}
        defaultValue={account.name}
        maxlength={120}
        autocomplete="name"
        required
      />
      <TextField
        name="email"
        type="email"
        label={common.value.email}
        defaultValue={account.email}
        maxlength={254}
        autocomplete="email"
        required
      />
      <SecretField
        name="currentPassword"
        label={t.currentPassword}
        isOptional
        hint={t.currentPasswordHint}
        autocomplete="current-password"
      />
      <FormEnd action={common.value.save} />
    </FormView>
  );
}

function Password({ email }: { readonly email: string }) {
  const t = settingTexts.value;
  const form = useForm(
    async ({ currentPassword = '', password = '', revokeApiKeys }) => {
      await send(
        client.users.updateMe({ currentPassword, password, revokeApiKeys: revokeApiKeys === 'on' }),
      );
      outdate('sessions?');
      if (revokeApiKeys === 'on') outdate('api-keys?');
      form.ref.current?.reset();
      announce(t.passwordChanged);
    },
    ({ password = '' }) =>
      password.length < 12 ? { password: () => settingTexts.value.passwordShort } : {},
  );
  return (
    <FormView form={form}>
      {/* Password managers store the new password under this name. */}
      <input type="email" autocomplete="username" value={email} readOnly hidden />
      <SecretField
        name="currentPassword"
        label={t.currentPassword}
        autocomplete="current-password"
        required
      />
      <SecretField
        name="password"
        label={t.newPassword}
        hint={common.value.passwordHint}
        autocomplete="new-password"
        required
      />
      <Checkbox name="revokeApiKeys" label={t.revokeApiKeys} />
      <FormEnd action={t.changePassword} />
    </FormView>
  );
}

function Choice<T extends string | number>({ preference }: { preference: Preference<T> }) {
  const id = useId();
  const { label, options, chosen, choose } = preference;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={String(chosen)}
        onChange={({ currentTarget }) => {
          const option = options[currentTarget.selectedIndex];
          if (option) choose(option.value);
        }}
      >
        <Options options={options.map(({ value, label: name }) => [String(value), name])} />
      </select>
    </div>
  );
}

function DeleteAccount() {
  const t = settingTexts.value;
  const deleteAll = async ({ password = '' }: Record<string, string>) => {
    await send(client.users.delete({ password }));
    await signOut();
    return undefined;
  };
  return (
    <FormDialog title={t.deleteTitle} action={t.deleteAction} kind="danger" onSend={deleteAll}>
      <p>{t.dangerText}</p>
      <SecretField
        name="password"
        label={common.value.password}
        autocomplete="current-password"
        required
        autofocus
      />
    </FormDialog>
  );
}
