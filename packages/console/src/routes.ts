import type { IconName } from './components/icon-names.ts';
import { lazyScreen } from './components/lazy.tsx';
import type { shellTexts } from './shell/messages.ts';

type TextName = {
  [K in keyof typeof shellTexts.value]: (typeof shellTexts.value)[K] extends string ? K : never;
}[keyof typeof shellTexts.value];

/** The parts of the navigation, in their order. */
export const groups = ['documents', 'developer', 'account', 'administration'] as const;
export type Group = (typeof groups)[number];

/** A screen in the navigation. */
interface Entry {
  /** The part of the navigation that it is in. */
  readonly group: Group;
  readonly icon: IconName;
  /** Its name in the texts of the shell. */
  readonly label: TextName;
  /** The key after `g` that goes there. */
  readonly key: string;
}

export interface Route {
  /** The address below the console, with parameters as preact-iso writes them: `vaults/:vaultId`. */
  readonly path: string;
  /** Loaded when it is shown for the first time. */
  readonly screen: ReturnType<typeof lazyScreen>;
  /** Absent for a screen that another one leads to. */
  readonly entry?: Entry;
}

/** Every screen. The navigation has those with an `entry`, in this order. The group `administration` is for administrators. */
export const routes: readonly Route[] = [
  {
    path: 'vaults',
    screen: lazyScreen(() => import('./screens/vaults/screen.tsx')),
    entry: { group: 'documents', icon: 'vault', label: 'vaults', key: 'v' },
  },
  { path: 'vaults/:vaultId', screen: lazyScreen(() => import('./screens/documents/screen.tsx')) },
  {
    path: 'activity',
    screen: lazyScreen(() => import('./screens/activity/screen.tsx')),
    entry: { group: 'account', icon: 'activity', label: 'activity', key: 'a' },
  },
  {
    path: 'webhooks',
    screen: lazyScreen(() => import('./screens/webhooks/screen.tsx')),
    entry: { group: 'developer', icon: 'webhook', label: 'webhooks', key: 'w' },
  },
  // Before the webhooks, whose ids would match it.
  {
    path: 'webhooks/signature',
    screen: lazyScreen(() => import('./screens/webhooks/signature.tsx')),
  },
  {
    path: 'webhooks/:webhookId',
    screen: lazyScreen(() => import('./screens/webhooks/webhook.tsx')),
  },
  {
    path: 'webhooks/:webhookId/deliveries/:deliveryId',
    screen: lazyScreen(() => import('./screens/webhooks/delivery.tsx')),
  },
  {
    path: 'api-keys',
    screen: lazyScreen(() => import('./screens/credentials/keys.tsx')),
    entry: { group: 'developer', icon: 'key-round', label: 'apiKeys', key: 'k' },
  },
  { path: 'oauth-clients', screen: lazyScreen(() => import('./screens/credentials/clients.tsx')) },
  {
    path: 'sessions',
    screen: lazyScreen(() => import('./screens/sessions/screen.tsx')),
    entry: { group: 'account', icon: 'monitor-smartphone', label: 'sessions', key: 's' },
  },
  {
    path: 'consents',
    screen: lazyScreen(() => import('./screens/consents/screen.tsx')),
    entry: { group: 'account', icon: 'handshake', label: 'consents', key: 'c' },
  },
  {
    path: 'settings/encryption',
    screen: lazyScreen(() => import('./screens/encryption/screen.tsx')),
    entry: { group: 'account', icon: 'lock', label: 'encryption', key: 'e' },
  },
  {
    path: 'settings',
    screen: lazyScreen(() => import('./screens/settings/screen.tsx')),
    entry: { group: 'account', icon: 'settings', label: 'settings', key: 't' },
  },
  {
    path: 'instances',
    screen: lazyScreen(() => import('./screens/instances/screen.tsx')),
    entry: { group: 'account', icon: 'server', label: 'instances', key: 'i' },
  },
  {
    path: 'instances/:instanceId',
    screen: lazyScreen(() => import('./screens/instances/instance.tsx')),
  },
  {
    path: 'users',
    screen: lazyScreen(() => import('./screens/users/screen.tsx')),
    entry: { group: 'administration', icon: 'users', label: 'users', key: 'u' },
  },
];

/** The screen that the console begins with. */
export const firstPath = 'vaults';
