import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveConfig } from '../src/config/config.ts';
import { userScopes } from '../src/domain/access.ts';
import { actorOf } from '../src/domain/accounts/auth.ts';
import { createDocuments } from '../src/domain/documents/documents.ts';
import { createVaults } from '../src/domain/documents/vaults.ts';
import { ensureInstance } from '../src/domain/instances/instances.ts';
import { createAccountLimits } from '../src/domain/limits/account-limits.ts';
import { createQuotas } from '../src/domain/limits/quotas.ts';
import { createUnitOfWork } from '../src/domain/unit-of-work.ts';
import { ServiceError } from '../src/generated/rules/errors.ts';
import { TestClock } from '../src/lib/clock.ts';
import { createIds } from '../src/lib/ids.ts';
import { databaseContents } from '../src/store/contents/in-database.ts';
import { plainSealer } from '../src/store/sealing.ts';
import { createStore } from '../src/store/store.ts';
import { roomy } from './support/delivery/database.ts';
import { documentOf } from './support/resources.ts';
import { openTestDriver } from './support/store/driver.ts';

type Kind = 'upload' | 'move' | 'delete' | 'vaultQuota' | 'instanceQuota';

/** A change: `pick` selects a document and `to` a vault; `size` is that of an upload or a quota. */
const step = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Kind>('upload') },
    { weight: 3, arbitrary: fc.constantFrom<Kind>('move', 'delete') },
    { weight: 1, arbitrary: fc.constantFrom<Kind>('vaultQuota', 'instanceQuota') },
  ),
  pick: fc.nat(100),
  to: fc.nat(1),
  size: fc.integer({ min: 1, max: 40 }),
});

interface Step {
  readonly kind: Kind;
  readonly pick: number;
  readonly to: number;
  readonly size: number;
}

interface Held {
  readonly size: number;
  vault: number;
}

/**
 * The rules in their simplest form: the stored documents, and the warnings since usage was last below 80 %.
 */
class Model {
  vaultQuota = 60;
  #instanceQuota = 100;
  readonly documents: Held[] = [];
  readonly #warned = [false, false];
  #instanceWarned = false;

  get instanceQuota(): number {
    return this.#instanceQuota;
  }

  set instanceQuota(quota: number) {
    this.#instanceQuota = quota;
    this.#rearm();
  }

  held(vault?: number): number {
    return this.documents
      .filter((document) => vault === undefined || document.vault === vault)
      .reduce((sum, { size }) => sum + size, 0);
  }

  /** Resets the warnings of vaults and instance below 80 %. */
  #rearm(vault?: number): void {
    if (vault !== undefined && this.held(vault) / this.vaultQuota < 0.8) {
      this.#warned[vault] = false;
    }
    if (this.held() / this.instanceQuota < 0.8) this.#instanceWarned = false;
  }

  /** `upload`, `move` and `remove` return the expected events and whether the change is accepted. */
  upload(document: Held): [string[], boolean] {
    const { size, vault } = document;
    if (this.held(vault) + size > this.vaultQuota) return [['vault.quota.exceeded'], false];
    if (this.held() + size > this.instanceQuota) return [[], false];
    this.#rearm(vault);
    this.documents.push(document);
    const reported = this.#warnings(vault);
    if (this.held() / this.instanceQuota >= 0.8 && !this.#instanceWarned) {
      this.#instanceWarned = true;
      reported.push('instance.quota.warning');
    }
    return [reported, true];
  }

  move(document: Held, to: number): [string[], boolean] {
    if (this.held(to) + document.size > this.vaultQuota) return [['vault.quota.exceeded'], false];
    this.#rearm(to);
    const from = document.vault;
    document.vault = to;
    this.#rearm(from);
    return [this.#warnings(to), true];
  }

  remove(document: Held): [string[], boolean] {
    this.documents.splice(this.documents.indexOf(document), 1);
    this.#rearm(document.vault);
    return [[], true];
  }

  #warnings(vault: number): string[] {
    if (this.held(vault) / this.vaultQuota < 0.8 || this.#warned[vault]) return [];
    this.#warned[vault] = true;
    return ['vault.quota.warning'];
  }
}

/** Creates an account with two vaults whose quotas can be changed. */
async function openVaults(model: Model) {
  const clock = new TestClock();
  const ids = createIds(clock);
  const driver = await openTestDriver(clock);
  const store = createStore(driver, plainSealer);
  const { instanceQuota: quotaBytes } = model;
  await ensureInstance({ store, clock, ids, quotaBytes, version: '1' });
  const instance = await store.instances.firstActive();
  if (!instance) throw new Error('there is no instance');
  const user = {
    id: ids.resource(),
    email: 'ada@example.com',
    name: 'Ada',
    passwordHash: '-',
    role: 'user',
    tier: 'free',
    status: 'active',
    instanceId: instance.id,
    createdAt: 0,
    updatedAt: 0,
  } as const;
  await store.transaction((tx) => tx.users.insert(user));
  const origin = { userId: user.id, requestId: null, ipAddress: null, userAgent: null };
  const account = { ...user, userId: user.id };
  const actor = actorOf(origin, account, { scopes: userScopes, keyId: null, sessionId: null });

  const work = createUnitOfWork({
    store,
    clock,
    ids,
    webhookDeliveries: roomy,
    onDeliveries: () => undefined,
  });
  const accountLimits = createAccountLimits(resolveConfig({}));
  const base = { store, work, clock, ids, accountLimits };
  const quotas = createQuotas({
    vaultQuota: {
      get free() {
        return model.vaultQuota;
      },
      paid: 1,
      enterprise: 1,
    },
  });
  const contents = databaseContents({ store, clock });
  const documents = createDocuments({ ...base, contents, quotas, maxDocumentBytes: 1000 });
  const vaults = createVaults(base);
  const vaultIds = [
    (await vaults.create(actor, { name: 'first' })).id,
    (await vaults.create(actor, { name: 'second' })).id,
  ];
  /** Ids by the model's document. */
  const documentIds = new Map<Held, string>();
  const idOf = (document: Held) => documentIds.get(document) ?? '';
  return {
    async upload(document: Held) {
      const content = Buffer.alloc(document.size);
      const input = documentOf(vaultIds[document.vault] ?? '', content);
      documentIds.set(document, (await documents.create(actor, input)).id);
    },
    move: (document: Held, to: number) =>
      documents.update(actor, idOf(document), { vaultId: vaultIds[to] ?? '' }),
    remove: (document: Held) => documents.remove(actor, idOf(document)),
    setInstanceQuota: (quotaBytes: number) =>
      store.transaction((tx) => tx.instances.save({ ...instance, quotaBytes })),
    /** Used bytes of each vault and of the instance. */
    async held() {
      const sizes = await Promise.all(
        vaultIds.map(async (id) => (await vaults.get(actor, id)).totalSize),
      );
      return [...sizes, (await store.instances.find(instance.id))?.usedBytes];
    },
    /** Types of the quota events since the previous call. */
    async reported() {
      const rows = await driver.reader.all<{ type: string }>(
        `SELECT type FROM events WHERE type LIKE '%.quota.%' ORDER BY id`,
      );
      await driver.transaction((queries) => queries.run('DELETE FROM events'));
      return rows.map(({ type }) => type);
    },
    close: () => driver.close(),
  };
}

/** Returns whether the documents accepted the change; false when a quota rejected it. */
async function accepted(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.details.constraint).toMatch(/^(vault|instance)Quota$/);
    return false;
  }
}

/**
 * Applies a step to model and server. Returns the model's events, and whether both accepted it or both
 * rejected it.
 */
async function take(
  { kind, pick, to, size }: Step,
  model: Model,
  real: Awaited<ReturnType<typeof openVaults>>,
): Promise<[string[], boolean]> {
  const compare = async ([reported, lets]: [string[], boolean], change: Promise<unknown>) =>
    [reported, (await accepted(change)) === lets] as [string[], boolean];
  const document = model.documents[pick % Math.max(1, model.documents.length)];
  if (kind === 'upload') {
    const added = { size, vault: to };
    return compare(model.upload(added), real.upload(added));
  }
  if (kind === 'move' && document && document.vault !== to) {
    return compare(model.move(document, to), real.move(document, to));
  }
  if (kind === 'delete' && document) return compare(model.remove(document), real.remove(document));
  if (kind === 'vaultQuota') model.vaultQuota = size * 3;
  if (kind === 'instanceQuota') {
    model.instanceQuota = size * 5;
    await real.setInstanceQuota(size * 5);
  }
  return [[], true];
}

test('quotas reject uploads, emit warnings and reset them as the simplest model does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps: Step[]) => {
      const model = new Model();
      const real = await openVaults(model);
      try {
        for (const each of steps) {
          const [reported, isAccepted] = await take(each, model, real);
          expect(await real.reported(), each.kind).toEqual(reported);
          expect(isAccepted, each.kind).toBe(true);
          expect(await real.held()).toEqual([model.held(0), model.held(1), model.held()]);
        }
      } finally {
        await real.close();
      }
    }),
    { numRuns: 15 },
  );
});
