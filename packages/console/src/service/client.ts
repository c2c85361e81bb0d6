import {
  type ApiResult,
  DocumentVault,
  memoryTokenStore,
  type RateLimit,
  type SignedIn,
  type TokenStore,
} from '@document-vault/sdk';
import { localStorageTokenStore } from '@document-vault/sdk/stores';
import { computed, effect, signal } from '@preact/signals';
import { serviceUrl } from './addresses.ts';
import { readStorage, remaining } from './storage.ts';

/** The entry of the tokens in `localStorage`, for users who stay signed in. */
const tokenEntry = 'document-vault-console';
const lasting = localStorageTokenStore(tokenEntry);
const passing = memoryTokenStore();

/** Where this tab has its tokens: a tab without "stay signed in" keeps them to itself. */
let place: TokenStore = readStorage(tokenEntry) ? lasting : passing;

const store: TokenStore = {
  lockName: tokenEntry,
  get: () => place.get(),
  set: (tokens) => place.set(tokens),
  clear: () => place.clear(),
};

/** Whether the session, and with it the key, outlives this tab. */
export function isLasting(): boolean {
  return place === lasting;
}

/**
 * Who is signed in: undefined while stored tokens are read, null when no one is. A page without tokens shows the login
 * at once.
 */
export const user = signal<SignedIn | null | undefined>(isLasting() ? undefined : null);

/** The id of the user. It changes with the account alone, not with each new token. */
export const userId = computed(() => user.value?.userId);

/** Whether the user sees the screens of administrators. The service decides about each request itself. */
export const isAdministrator = computed(() => user.value?.scopes.includes('admin:*') ?? false);

/** Whether the service ended the session, so that the page of the login can say so. */
export const hasExpired = signal(false);

/** The rate limit as the last response described it. */
export const rateLimit = signal<RateLimit | undefined>(undefined);

/** When the service accepts requests again after status 429, in milliseconds since the epoch. */
export const waitsUntil = signal<number | undefined>(undefined);

/** The longest wait is for the next hour. */
const maxRetryAfter = 3_600_000;

export const client = new DocumentVault({
  baseUrl: serviceUrl.href,
  // The page shows why nothing can be decrypted there.
  allowInsecureHttp: true,
  maxRetryAfter,
  session: {
    store,
    onExpired() {
      hasExpired.value = true;
      user.value = null;
    },
  },
  onRetry({ status, delayMs }) {
    if (status === 429) waitsUntil.value = Date.now() + delayMs;
  },
  logger: { debug: () => undefined, warn: () => undefined },
});

/** A call of the SDK that has not been sent, or is on its way. */
interface Call<T> {
  withResponse(): Promise<ApiResult<T>>;
}

/** Sends a call, and shows the rate limit that its response reports. */
export async function send<T>(call: Call<T>): Promise<T> {
  const result = await call.withResponse();
  if (result.rateLimit) rateLimit.value = result.rateLimit;
  return result.data;
}

/** Reads who is signed in. */
export async function readSession(): Promise<void> {
  user.value = (await client.auth.session()) ?? null;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Whether the tokens outlive the tab. */
  readonly staySignedIn: boolean;
}

/**
 * Signs a user in.
 *
 * @throws VaultError as `auth.login` does. A wait for the throttle of wrong passwords is an error: it can take long.
 */
export async function signIn({ email, password, staySignedIn }: Credentials): Promise<void> {
  const chosen = staySignedIn ? lasting : passing;
  if (chosen !== place) await place.clear();
  place = chosen;
  await client.auth.login({ email, password }, { maxRetryAfter: 0 });
  hasExpired.value = false;
  await readSession();
}

/** Signs the user out, in every tab that has the same tokens. The session ends here even without a connection. */
export async function signOut(): Promise<void> {
  // The store is emptied at once. Without a response, the session ends at the service when its tokens expire.
  const ended = client.auth.logout().catch(() => undefined);
  hasExpired.value = false;
  user.value = null;
  await ended;
  // This tab's tokens cannot be removed from localStorage.
  if (isLasting() && user.peek() === null && lasting.get()) remaining.value = 'tokensStay';
}

// Another tab with the same tokens signed in or out.
addEventListener('storage', ({ key }) => {
  if (key === tokenEntry && place === lasting) void readSession();
});

effect(() => {
  if (user.value) return;
  rateLimit.value = undefined;
  waitsUntil.value = undefined;
});
