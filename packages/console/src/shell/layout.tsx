import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Button, IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { Note } from '../components/states.tsx';
import { firstPath, type Group, groups, routes } from '../routes.ts';
import { isSecure, pathTo } from '../service/addresses.ts';
import { isAdministrator, signOut, user } from '../service/client.ts';
import { isFailing } from '../service/database.ts';
import { accountKeys, lock, newRecoveryKey } from '../service/keys.ts';
import { remaining } from '../service/storage.ts';
import { Logo } from './logo.tsx';
import { shellTexts } from './messages.ts';
import { idlePreference, menuItems, Preferences } from './preferences.tsx';
import { LimitBanner, LimitGauge } from './rate-limit.tsx';
import { openShortcutHelp, useShortcut } from './shortcuts.tsx';
import { announce } from './toasts.tsx';

/** The screens that the navigation leads this user to. */
const entries = computed(() =>
  routes
    .flatMap(({ path, entry }) => (entry ? [{ path, ...entry }] : []))
    .filter(({ group }) => group !== 'administration' || isAdministrator.value),
);

/** What surrounds every screen: navigation, lock, rate limit and account. */
export function Layout({ children }: { readonly children: ComponentChildren }) {
  const t = shellTexts.value;
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {t.skip}
      </a>
      <Sidebar />
      <div class="main">
        <LimitBanner />
        <main id="content" tabIndex={-1}>
          {!isSecure && <Note kind="warning">{t.insecure}</Note>}
          {isFailing.value && remaining.value !== 'keyOpens' && (
            <Note kind="warning">{t.noStorage}</Note>
          )}
          {children}
        </main>
      </div>
      {entries.value.map((entry) => (
        <GoTo key={entry.path} path={entry.path} name={t[entry.label]} keys={`g ${entry.key}`} />
      ))}
    </div>
  );
}

function GoTo({ path, name, keys }: { path: string; name: string; keys: string }) {
  const { route } = useLocation();
  useShortcut(keys, shellTexts.value.goTo(name), () => route(pathTo(path)));
  return null;
}

/** The navigation: a column on wide windows, and behind a button on narrow ones. */
function Sidebar() {
  const t = shellTexts.value;
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLDivElement>(null);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (!isOpen) return;
    const close = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setOpen(false);
      button.current?.querySelector<HTMLElement>('.sidebar-toggle')?.focus();
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [isOpen]);
  return (
    <header class={isOpen ? 'sidebar open' : 'sidebar'}>
      <div class="sidebar-top">
        <a class="brand" href={pathTo(firstPath)}>
          <Logo />
        </a>
        <div class="row tight" ref={button}>
          <Preferences />
          <IconButton
            class="button icon-only quiet sidebar-toggle"
            icon={isOpen ? 'x' : 'menu'}
            label={t.menu}
            aria-expanded={isOpen}
            aria-controls="sidebar-content"
            onClick={() => setOpen(!isOpen)}
          />
        </div>
      </div>
      <div class="sidebar-content" id="sidebar-content">
        <nav aria-label={t.navigation}>
          {groups.map((group) => (
            <NavigationGroup key={group} group={group} />
          ))}
        </nav>
        <div class="sidebar-end">
          <LockState />
          <LimitGauge />
          <Account />
        </div>
      </div>
    </header>
  );
}

function NavigationGroup({ group }: { readonly group: Group }) {
  const t = shellTexts.value;
  const current = entryOf(useLocation().path);
  const own = entries.value.filter((entry) => entry.group === group);
  if (own.length === 0) return null;
  return (
    <>
      <p class="nav-heading" id={`group-${group}`}>
        {t[group]}
      </p>
      <ul aria-labelledby={`group-${group}`}>
        {own.map((entry) => (
          <li key={entry.path}>
            <a
              class="nav-link"
              href={pathTo(entry.path)}
              aria-current={entry.path === current ? 'page' : undefined}
            >
              <Icon name={entry.icon} />
              {t[entry.label]}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns the entry that a screen belongs to: of several, that with the longest path. */
function entryOf(screen: string): string | undefined {
  return entries.value
    .map(({ path }) => path)
    .filter((path) => `${screen}/`.startsWith(`${pathTo(path)}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

function LockState() {
  const t = shellTexts.value;
  // A new recovery key is shown before the console is unlocked.
  const hasSecrets = Boolean(accountKeys.value || newRecoveryKey.value);
  const lockNow = () => {
    void lock();
    announce(t.nowLocked);
  };
  useShortcut('L', t.lock, () => {
    if (hasSecrets) lockNow();
  });
  if (!hasSecrets) {
    return (
      <p class="lock-state soft">
        <Icon name="lock" /> {t.locked}
      </p>
    );
  }
  return (
    <div class="lock-state" title={t.lockHint}>
      <span class="lock-open">
        <Icon name="lock-open" /> {t.unlocked}
      </span>
      <Button icon="lock" onClick={lockNow}>
        {t.lock}
      </Button>
    </div>
  );
}

function Account() {
  const t = shellTexts.value;
  const email = user.value?.email ?? '';
  const idle = idlePreference();
  return (
    <div class="account">
      <Menu
        label={t.accountOf(email)}
        isNamed
        buttonClass="account-button"
        items={[
          ...menuItems(idle).map((item) => ({ ...item, label: `${idle.label}: ${item.label}` })),
          { label: t.shortcuts, icon: 'circle-help', onSelect: openShortcutHelp },
          { label: t.signOut, icon: 'log-out', onSelect: () => void signOut() },
        ]}
      >
        <span class="avatar" aria-hidden="true">
          {email.slice(0, 1).toUpperCase()}
        </span>
        <span class="account-name">{email}</span>
        <Icon name="chevron-down" />
      </Menu>
    </div>
  );
}
