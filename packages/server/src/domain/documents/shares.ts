import { withoutDerivation } from '../../generated/rules/documents.ts';
import { notFound, ServiceError } from '../../generated/rules/errors.ts';
import { requireSharingOwner } from '../../generated/rules/owners.ts';
import { shareEnd } from '../../generated/rules/periods.ts';
import { endedShare } from '../../generated/rules/replays.ts';
import type { Contents } from '../../store/contents/contents.ts';
import type { PageRequest } from '../../store/lists/listing.ts';
import type { DocumentRecord } from '../../store/rows/documents/documents.ts';
import type { ShareAccessRecord } from '../../store/rows/documents/share-accesses.ts';
import type { ShareRecord } from '../../store/rows/documents/shares.ts';
import type { Repositories } from '../../store/store.ts';
import { hasScope, requireVisible, visibleOf } from '../access.ts';
import { digest, randomToken } from '../accounts/secrets.ts';
import { type Actor, serverItself, type Visitor, type WithCommitHook } from '../actor.ts';
import { accountOf } from '../events.ts';
import { accessIdOf, endedAccessOf } from '../oauth/live-access.ts';
import { idsOf, inOrder, type ListQuery, type Page, toPage, toPages } from '../pages.ts';
import { type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import {
  type DocumentWithContent,
  findDocument,
  presentDocument,
  withContent,
} from './documents.ts';
import type { ContentTickets } from './tickets.ts';
import { findVault } from './vaults.ts';

export type Share = Shape<'Share'>;
type ShareAccess = Shape<'ShareAccess'>;

/** A share by the ids of its path. */
interface ShareOfDocument {
  readonly documentId: string;
  readonly shareId: string;
}

export interface SharesOptions extends ServiceOptions {
  readonly contents: Contents;
  readonly tickets: ContentTickets;
  /** A larger ciphertext is read by its ticket alone. Bytes, decoded. */
  readonly maxDocumentBytes: number;
}

export type Shares = ReturnType<typeof createShares>;

export function createShares(options: SharesOptions) {
  const { store, contents, work, clock, ids, accountLimits, tickets, maxDocumentBytes } = options;

  async function create(
    actor: WithCommitHook<Actor>,
    documentId: string,
    input: Shape<'CreateShare'>,
  ): Promise<Shape<'CreatedShare'>> {
    const now = clock.now();
    const expiresAt = shareEnd(input.expiresAt, now);
    const token = randomToken();
    return work(actor, async (tx, emit) => {
      const document = await findDocument(tx, actor, documentId);
      requireSharingOwner(document, actor.userId);
      const vault = await findVault(tx, actor, document.vaultId);
      const share: ShareRecord = {
        id: ids.resource(),
        documentId,
        userId: document.userId,
        permissions: input.permissions,
        access: input.access,
        expiresAt,
        maxAccessCount: input.maxAccessCount,
        accessCount: 0,
        isActive: true,
        accessId: accessIdOf(actor),
        createdAt: now,
      };
      await tx.shares.insert(share, digest(token));
      await accountLimits.refuseExcess(tx, share.userId, 'shares');
      await emit({
        type: 'document.shared',
        ...accountOf(vault),
        object: presentShare(share, now),
      });
      return { ...presentShare(share, now), shareToken: token };
    });
  }

  async function list(
    actor: Actor,
    documentId: string,
    query: ListQuery<'createdAt' | 'expiresAt'>,
  ): Promise<Page<Share>> {
    await findDocument(store, actor, documentId);
    const list = await store.shares.list({ ...inOrder(query), documentId });
    const present = await presenterOf(list.rows);
    return toPage(list, query, present);
  }

  /** Returns a page per document, which is empty for a document that was deleted meanwhile. */
  async function listOfEach(
    actor: Actor,
    documentIds: readonly string[],
    query: ListQuery<'createdAt' | 'expiresAt'>,
  ): Promise<Page<Share>[]> {
    const documents = visibleOf(actor, await store.documents.findMany(documentIds));
    const lists = await store.shares.listOfEach(idsOf(documents), inOrder(query));
    const present = await presenterOf([...lists.values()].flatMap(({ rows }) => rows));
    return toPages(documentIds, lists, (rows) => toPage(rows, query, present));
  }

  /** Returns a function that presents these shares at this moment. */
  async function presenterOf(
    shares: readonly ShareRecord[],
  ): Promise<(share: ShareRecord) => Share> {
    const now = clock.now();
    const ended = await endedAccessOf(store, shares, { scope: 'documents:share', now });
    return (share) =>
      presentShare({ ...share, isActive: share.isActive && !ended.has(share.accessId) }, now);
  }

  function revoke(
    actor: WithCommitHook<Actor>,
    documentId: string,
    shareId: string,
  ): Promise<void> {
    return work(actor, async (tx) => {
      await findShare(tx, actor, { documentId, shareId });
      await tx.shares.revoke(shareId);
    });
  }

  /** Lists who opened a share, the newest access first. */
  async function listAccesses(
    actor: Actor,
    share: ShareOfDocument,
    query: PageRequest,
  ): Promise<Page<ShareAccess>> {
    await findShare(store, actor, share);
    const rows = await store.shareAccesses.list({ ...query, shareId: share.shareId });
    return toPage(rows, query, (access) => presentAccess(access, share.documentId));
  }

  /**
   * Opens a share by its token and counts the access. An `authenticated` share needs an account. Only the owner's
   * credentials with `documents:read` receive salt, iterations and wrapped key. `contentUrl` is a ticket: reading the
   * content counts no further access.
   *
   * @param content whether to read the ciphertext, too
   * @throws ServiceError NOT_FOUND, also while the owner is suspended; MISSING_AUTH
   */
  async function open(
    visitor: Visitor,
    token: string,
    { content }: { readonly content: boolean },
  ): Promise<DocumentWithContent> {
    const access = { tokenHash: digest(token), now: clock.now() };
    const authenticated = visitor.userId !== null;
    const { document, shareId } = await work(
      visitor,
      async (tx, emit) => {
        const share = await tx.shares.countAccess({ ...access, authenticated });
        if (!share) {
          if (!authenticated && (await tx.shares.findOpenable(access))) {
            throw new ServiceError('MISSING_AUTH');
          }
          throw notFound('share');
        }
        // Read without locks: a creation locks these rows first and then the usage of the account, which this
        // transaction may hold.
        const [document] = await tx.documents.findMany([share.documentId]);
        const [vault] = document ? await tx.vaults.findMany([document.vaultId]) : [];
        // Deleted meanwhile. The access is not counted.
        if (!document || !vault) throw notFound('share');
        const { ipAddress, userAgent } = visitor;
        const { id: shareId, accessCount, documentId } = share;
        const counted = { shareId, accessCount, accessedAt: access.now, ipAddress, userAgent };
        await tx.shareAccesses.insert(counted);
        const object = presentAccess(counted, documentId);
        await emit({ type: 'document.share.accessed', ...accountOf(vault), object });
        return { document, shareId: share.id };
      },
      { row: access.tokenHash.toString('base64') },
    );
    return presentShared(visitor, { document, shareId, content });
  }

  /**
   * Returns what `open` would return, without counting an access.
   *
   * @throws ServiceError as `open`
   */
  async function preview(
    visitor: Visitor,
    token: string,
    { content }: { readonly content: boolean },
  ): Promise<DocumentWithContent> {
    const share = await store.shares.findOpenable({ tokenHash: digest(token), now: clock.now() });
    if (!share) throw notFound('share');
    if (share.access === 'authenticated' && visitor.userId === null) {
      throw new ServiceError('MISSING_AUTH');
    }
    const [document] = await store.documents.findMany([share.documentId]);
    if (!document) throw notFound('share');
    return presentShared(visitor, { document, shareId: share.id, content });
  }

  async function presentShared(
    { userId, scopes = new Set() }: Visitor,
    shared: {
      readonly document: DocumentRecord;
      readonly shareId: string;
      readonly content: boolean;
    },
  ): Promise<DocumentWithContent> {
    const { document, shareId, content } = shared;
    const opened = content
      ? withContent(contents, document, maxDocumentBytes)
      : { document: presentDocument(document) };
    const contentUrl = `/api/v1/contents/${await tickets.issue(shareId)}`;
    const presented = { ...opened.document, contentUrl };
    const mayDerive = userId === document.userId && hasScope({ scopes }, 'documents:read');
    return { ...opened, document: mayDerive ? presented : withoutDerivation(presented) };
  }

  /**
   * Checks a share before its creation is replayed: the stored outcome still holds its token.
   *
   * @throws ServiceError VALIDATION_ERROR when the token opens nothing any more
   */
  async function requireUsable({ shareToken }: Shape<'CreatedShare'>): Promise<void> {
    const access = { tokenHash: digest(shareToken), now: clock.now() };
    if (await store.shares.findOpenable(access)) return;
    throw endedShare();
  }

  /**
   * Deactivates expired shares and emits an event for each. A step of the sweeper.
   *
   * @returns the number of shares; less than `limit` when none are left
   */
  function expire(limit: number): Promise<number> {
    return work(serverItself, async (tx, emit) => {
      const expired = await tx.shares.takeExpired({ now: clock.now(), limit });
      for (const { id, documentId, expiresAt, isSpent, ...share } of expired) {
        // A share whose accesses were used up ended earlier, so it does not expire.
        if (isSpent) continue;
        const object = { id, documentId, expiresAt: timestamp(expiresAt) };
        await emit({ type: 'document.share.expired', ...accountOf(share), object });
      }
      return expired.length;
    });
  }

  return { create, list, listOfEach, revoke, listAccesses, open, preview, requireUsable, expire };
}

/** @throws ServiceError NOT_FOUND, also for a share of another document */
async function findShare(
  { shares }: Repositories,
  actor: Actor,
  { documentId, shareId }: ShareOfDocument,
): Promise<ShareRecord> {
  const share = requireVisible(actor, await shares.find(shareId), 'share', { shareId });
  if (share.documentId !== documentId) throw notFound('share', { shareId });
  return share;
}

function presentAccess(access: ShareAccessRecord, documentId: string): ShareAccess {
  return {
    shareId: access.shareId,
    documentId,
    accessCount: access.accessCount,
    accessedAt: timestamp(access.accessedAt),
    ipAddress: access.ipAddress,
    userAgent: access.userAgent,
  };
}

/** A share is active while it can still be opened. */
function presentShare(share: ShareRecord, now: number): Share {
  const isSpent = share.maxAccessCount !== null && share.accessCount >= share.maxAccessCount;
  return {
    id: share.id,
    documentId: share.documentId,
    permissions: [...share.permissions],
    access: share.access,
    expiresAt: timestamp(share.expiresAt),
    maxAccessCount: share.maxAccessCount,
    accessCount: share.accessCount,
    isActive: share.isActive && !isSpent && share.expiresAt > now,
    createdAt: timestamp(share.createdAt),
  };
}
