import type { CurrentUser } from '@document-vault/sdk';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Checkbox, FormError, SecretField, TextField, useForm } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { Failed, Loading } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { chooseLanguage, type Language, language, languages } from '../../messages/language.ts';
import { client, send, signOut, user } from '../../service/client.ts';
import { chooseIdleMinutes, type IdleMinutes, idleMinutes } from '../../service/keys.ts';
import { amend, outdate, useLoaded } from '../../service/loading.ts';
import { shellTexts } from '../../shell/messages.ts';
import { chooseTheme, type Theme, theme } from '../../shell/theme.ts';
import { announce } from '../../shell/toasts.tsx';
import { Usage } from '../users/usage.tsx';
import { settingTexts } from './messages.ts';

/** The account of the user, and the choices of this browser. */
export default function Settings() {
  const t = settingTexts.value;
  const { data, error, reload } = useLoaded('me', () => send(client.users.me()));
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Page title={t.title}>
      {data ? (
        <>
          <Setting title={t.profile} description={t.profileText}>
            <Profile account={data} />
          </Setting>
          <Setting title={t.password} description={t.passwordText}>
            <Password email={data.email} />
          </Setting>
          <Setting title={t.usage} description={t.usageText}>
            <Usage usage={data.usage} />
          </Setting>
        </>
      ) : error === undefined ? (
        <Loading />
      ) : (
        <Failed error={error} onRetry={reload} />
      )}
      <Setting title={t.appearance} description={t.appearanceText}>
        <Appearance />
      </Setting>
      <Setting title={t.danger} description={t.dangerText}>
        <span>
          <Button kind="danger" icon="trash-2" onClick={() => setDeleting(true)}>
            {t.delete}
          </Button>
        </span>
      </Setting>
      {isDeleting && <DeleteAccount onClose={() => setDeleting(false)} />}
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
    <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
      <TextField
        name="name"
        label={common.value.name}
        form={form}
        defaultValue={account.name}
        maxlength={120}
        autocomplete="name"
        required
      />
      <TextField
        name="email"
        type="email"
        label={t.email}
        form={form}
        defaultValue={account.email}
        maxlength={254}
        autocomplete="email"
        required
      />
      <SecretField
        name="currentPassword"
        label={t.currentPassword}
        form={form}
        isOptional
        hint={t.currentPasswordHint}
        autocomplete="current-password"
      />
      <FormError form={form} />
      <Actions>
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          {common.value.save}
        </Button>
      </Actions>
    </form>
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
    <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
      {/* Password managers store the new password under this name. */}
      <input type="email" autocomplete="username" value={email} readOnly hidden />
      <SecretField
        name="currentPassword"
        label={t.currentPassword}
        form={form}
        autocomplete="current-password"
        required
      />
      <SecretField
        name="password"
        label={t.newPassword}
        form={form}
        hint={t.newPasswordHint}
        autocomplete="new-password"
        required
      />
      <Checkbox name="revokeApiKeys" label={t.revokeApiKeys} />
      <FormError form={form} />
      <Actions>
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          {t.changePassword}
        </Button>
      </Actions>
    </form>
  );
}

function Appearance() {
  const t = settingTexts.value;
  const shell = shellTexts.value;
  const idleLabels = { 15: shell.idleMinutes, 480: shell.idleHours, 0: shell.idleNever } as const;
  return (
    <>
      <Choice
        label={t.language}
        value={language.value}
        onChange={(chosen) => chooseLanguage(chosen as Language)}
        options={Object.entries(languages)}
      />
      <Choice
        label={t.theme}
        value={theme.value}
        onChange={(chosen) => chooseTheme(chosen as Theme)}
        options={(['system', 'light', 'dark'] as const).map((name) => [name, shell[name]])}
      />
      <Choice
        label={t.idle}
        value={String(idleMinutes.value)}
        onChange={(chosen) => chooseIdleMinutes(Number(chosen) as IdleMinutes)}
        options={([15, 480, 0] as const).map((minutes) => [String(minutes), idleLabels[minutes]])}
      />
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A choice that holds at once. */
function Choice({ label, value, onChange, options }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function DeleteAccount({ onClose }: { readonly onClose: () => void }) {
  const t = settingTexts.value;
  const form = useForm(async ({ password = '' }) => {
    await send(client.users.delete({ password }));
    await signOut();
  });
  return (
    <Dialog title={t.deleteTitle} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <p>{t.dangerText}</p>
        <SecretField
          name="password"
          label={t.confirmPassword}
          form={form}
          autocomplete="current-password"
          required
          autofocus
        />
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="danger" isBusy={form.isBusy}>
            {t.deleteAction}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
