import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  signIn,
  startConsole,
  storedIn,
  type TestConsole,
  unlock,
  type Visit,
} from './support/console.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await startConsole();
});
beforeEach(() => testConsole.server.reset());
afterAll(() => testConsole.close());

const minute = 60_000;

/** A vault with one document, unlocked in a browser that keeps the key. */
async function openUnlocked({ hasTestClock = false } = {}) {
  const client = await testConsole.unlocked();
  const vault = await client.vaults.create({ name: 'Taxes' });
  const options = { vaultId: vault.id, fileName: 'return.txt', encryptFileName: true };
  await client.documents.upload('Total: 42', options);
  const path = `vaults/${vault.id}`;
  const visit = await testConsole.open({ hasTestClock });
  await visit.context.addInitScript(recordConnections);
  await visit.page.goto(testConsole.url + path);
  await signIn(testConsole, visit, { staySignedIn: true });
  await unlock(visit);
  await isListed(visit.page).waitFor();
  await expect.poll(() => storedIn(visit)).toContain('extractable');
  return { visit, path };
}

/** Opens the vault in another tab, which the kept keys unlock. */
async function openTab({ context }: Visit, path: string): Promise<Visit> {
  const tab = await testConsole.open({ context, path });
  await isListed(tab.page).waitFor();
  return tab;
}

interface Connections {
  connections: IDBDatabase[];
}

function recordConnections(): void {
  const connections: IDBDatabase[] = [];
  Object.assign(window, { connections });
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...input) {
    const request = open.apply(this, input);
    request.addEventListener('success', () => connections.push(request.result));
    return request;
  };
}

/** Closes all connections to IndexedDB, as iOS does in tabs in the background. */
function closeConnections({ page }: Visit): Promise<void> {
  return page.evaluate(() => {
    for (const one of (window as unknown as Connections).connections) one.close();
  });
}

/** IndexedDB fails from now on, until the page is loaded again. */
function breakDatabase({ page }: Visit): Promise<void> {
  return page.evaluate(() => {
    const fail = () => {
      throw new DOMException('Connection to Indexed Database server lost', 'InvalidStateError');
    };
    IDBFactory.prototype.open = fail;
    IDBDatabase.prototype.transaction = fail;
  });
}

/** `localStorage` takes no changes from now on, until the page is loaded again. */
function breakStorage({ page }: Visit): Promise<void> {
  return page.evaluate(() => {
    const fail = () => {
      throw new DOMException('The operation is insecure', 'SecurityError');
    };
    Object.assign(Storage.prototype, { setItem: fail, removeItem: fail, clear: fail });
  });
}

/** `localStorage` cannot be read from now on, until the page is loaded again. */
function breakReading({ page }: Visit): Promise<void> {
  return page.evaluate(() => {
    Storage.prototype.getItem = () => {
      throw new DOMException('The operation is insecure', 'SecurityError');
    };
  });
}

/** Sets the clock of the computer back by a day. Timers and `performance.now()` go on. */
async function setClockBack({ page }: Visit): Promise<void> {
  await page.clock.setSystemTime(Date.now() - 24 * 60 * minute);
}

const isListed = (page: Page) => page.getByRole('button', { name: 'return.txt', exact: true });
const clickLock = (page: Page) => page.getByRole('button', { name: 'Lock', exact: true }).click();
const unlockHeading = (page: Page) => page.getByRole('heading', { name: 'Unlock your documents' });

async function expectLocked({ page }: Visit): Promise<void> {
  await unlockHeading(page).waitFor();
  expect(await page.content()).not.toContain('return.txt');
}

async function expectLockedAfterReload(visit: Visit): Promise<void> {
  await visit.page.reload();
  await expectLocked(visit);
  await expect.poll(() => storedIn(visit)).not.toContain('extractable');
}

async function chooseInAccount(page: Page, role: 'menuitem' | 'menuitemradio', name: RegExp) {
  await page.locator('.account-button').click();
  await page.getByRole(role, { name }).click();
}

async function signOut(page: Page): Promise<void> {
  await chooseInAccount(page, 'menuitem', /Sign out/);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

describe.each([
  ['its connections to IndexedDB are closed', closeConnections],
  ['IndexedDB fails', breakDatabase],
])('when %s', (_, damage) => {
  test('a lock removes the kept keys or makes them useless: a reload stays locked', async () => {
    const { visit } = await openUnlocked();
    await damage(visit);
    await clickLock(visit.page);
    await expectLocked(visit);
    await expectLockedAfterReload(visit);
    await unlock(visit);
    await visit.page.reload();
    await isListed(visit.page).waitFor();
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });

  test('a lock in one of two tabs locks both, although their kept keys may stay', async () => {
    const { visit, path } = await openUnlocked();
    const second = await openTab(visit, path);
    for (const tab of [visit, second]) await damage(tab);
    await clickLock(second.page);
    for (const tab of [second, visit]) await expectLocked(tab);
    for (const tab of [second, visit]) await expectLockedAfterReload(tab);
    await visit.context.close();
  });

  test('after signing out, the next login asks for the passphrase', async () => {
    const { visit } = await openUnlocked();
    await damage(visit);
    await signOut(visit.page);
    await visit.page.reload();
    await signIn(testConsole, visit, { staySignedIn: true });
    await expectLocked(visit);
    await expect.poll(() => storedIn(visit)).not.toContain('extractable');
    await visit.context.close();
  });

  test('an idle console stays locked after a reload, also when it shall never lock from then on', async () => {
    const { visit } = await openUnlocked({ hasTestClock: true });
    const { page } = visit;
    await damage(visit);
    await page.clock.fastForward(16 * minute);
    await expectLocked(visit);
    await chooseInAccount(page, 'menuitemradio', /Never/);
    await expectLockedAfterReload(visit);
    await visit.context.close();
  });

  test('keys of a later unlock are kept, and those of an earlier one never open', async () => {
    const { visit } = await openUnlocked();
    await damage(visit);
    await clickLock(visit.page);
    await unlock(visit);
    await clickLock(visit.page);
    await expectLocked(visit);
    await expectLockedAfterReload(visit);
    await visit.context.close();
  });
});

describe('when the kept keys cannot be removed', () => {
  test('a lock says that the keys are still in the browser, and that they open nothing', async () => {
    const { visit } = await openUnlocked();
    await breakDatabase(visit);
    await clickLock(visit.page);
    await visit.page.getByText('could not remove the stored key').waitFor();
    await expectLocked(visit);
    await visit.context.close();
  });

  test('a lock that cannot be stored either says what to do, and removes the documents from the page', async () => {
    const { visit, path } = await openUnlocked();
    const second = await openTab(visit, path);
    await breakDatabase(visit);
    await breakStorage(visit);
    await clickLock(visit.page);
    await visit.page.getByText('Delete the data of this site').waitFor();
    for (const tab of [visit, second]) await expectLocked(tab);
    await visit.context.close();
  });

  test('signing out warns of the stored keys at the login, and still ends the session at the service', async () => {
    const { visit } = await openUnlocked();
    const { page } = visit;
    await breakDatabase(visit);
    await breakStorage(visit);
    await signOut(page);
    await page.getByText('could not remove the stored key').waitFor();
    await page.getByText('could not remove the session').waitFor();
    expect(await page.content()).not.toContain('return.txt');
    await page.reload();
    await page.getByText('Your session has ended').waitFor();
    expect(await page.content()).not.toContain('return.txt');
    await visit.context.close();
  });
});

test('a browser whose storage takes nothing is unlocked until a reload, and the page says so', async () => {
  const { visit } = await openUnlocked();
  const { page } = visit;
  await clickLock(page);
  await expectLocked(visit);
  await breakDatabase(visit);
  await breakStorage(visit);
  await unlock(visit);
  await isListed(page).waitFor();
  await page.getByText('The browser refused the last access to its storage').waitFor();
  await page.reload();
  await expectLocked(visit);
  await visit.context.close();
});

test('a browser that blocks localStorage shows the console, unlocked until a reload', async () => {
  const client = await testConsole.unlocked();
  const { open, url } = testConsole;
  const vault = await client.vaults.create({ name: 'Taxes' });
  await client.documents.upload('Total: 42', { vaultId: vault.id, fileName: 'return.txt' });
  const visit = await open();
  await visit.context.addInitScript(() =>
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('Access is denied for this document', 'SecurityError');
      },
    }),
  );
  await visit.page.goto(`${url}vaults/${vault.id}`);
  await signIn(testConsole, visit);
  await unlock(visit);
  await isListed(visit.page).waitFor();
  expect(visit.problems).toEqual([]);
  await visit.context.close();
});

describe('after the clock of the computer has gone back', () => {
  test('an idle console locks', async () => {
    const { visit } = await openUnlocked({ hasTestClock: true });
    await setClockBack(visit);
    await visit.page.clock.fastForward(16 * minute);
    await expectLocked(visit);
    await visit.context.close();
  });

  test('a console in use stays unlocked, and input still counts', async () => {
    const { visit } = await openUnlocked({ hasTestClock: true });
    const { page } = visit;
    await setClockBack(visit);
    for (const _ of [1, 2, 3]) {
      await page.clock.fastForward(10 * minute);
      await page.keyboard.press('Shift');
    }
    expect(await isListed(page).isVisible()).toBe(true);
    await page.reload();
    await isListed(page).waitFor();
    await visit.context.close();
  });

  test('a reload locks the console', async () => {
    const { visit } = await openUnlocked({ hasTestClock: true });
    await setClockBack(visit);
    await expectLockedAfterReload(visit);
    await visit.context.close();
  });
});

test('an idle console locks when localStorage cannot be read', async () => {
  const { visit } = await openUnlocked({ hasTestClock: true });
  await breakReading(visit);
  await visit.page.clock.fastForward(16 * minute);
  // The tokens cannot be read either: the page to unlock does not load.
  await visit.page.getByText('Locked', { exact: true }).waitFor();
  expect(await visit.page.content()).not.toContain('return.txt');
  expect(visit.problems).toEqual([]);
  await visit.context.close();
});
