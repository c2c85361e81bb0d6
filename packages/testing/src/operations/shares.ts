import type { CreatedShare, Share } from '@document-vault/sdk';
import { type Actor, requireVisible, type Visitor } from '../actor.ts';
import { emit } from '../events.ts';
import { withoutDerivation } from '../generated/rules/documents.ts';
import { notFound, ServiceError } from '../generated/rules/errors.ts';
import { requireSharingOwner } from '../generated/rules/owners.ts';
import { shareEnd } from '../generated/rules/periods.ts';
import { endedShare } from '../generated/rules/replays.ts';
import { hasScope } from '../generated/rules/scopes.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { isPast, randomToken, type ShareRecord, type State, timestamp } from '../state.ts';
import { contentReply } from './contents.ts';
import { findDocument, shownDocument } from './documents.ts';
import { refuseExcess } from './limits.ts';

const day = 24 * 60 * 60 * 1_000;
/** How long the content of an opened share can be read. */
const ticketLifetime = day;
/** How long accesses are listed. */
const accessRetention = 90 * day;

export const shareHandlers = {
  shareDocument({ state, actor, path, body }): CreatedShare {
    const expiresAt = timestamp(shareEnd(body.expiresAt, state.now()));
    const document = findDocument(state, actor, path.id);
    requireSharingOwner(document, actor.user.id);
    refuseExcess(state, document.userId, 'shares');
    const share: ShareRecord = {
      id: state.ids.resource(),
      documentId: document.id,
      userId: document.userId,
      shareToken: randomToken(),
      permissions: body.permissions,
      access: body.access,
      expiresAt,
      maxAccessCount: body.maxAccessCount,
      accessCount: 0,
      accesses: [],
      isActive: true,
      createdAt: timestamp(state.now()),
    };
    state.tables.shares.set(share.id, share);
    const object = presentShare(state, share);
    const { userId } = share;
    emit(state, { type: 'document.shared', userId, principal: actor, object });
    return { ...object, shareToken: share.shareToken };
  },

  listDocumentShares({ state, actor, path, query }) {
    const { id } = findDocument(state, actor, path.id);
    const found = [...state.tables.shares.values()].filter(({ documentId }) => documentId === id);
    return toPage(found, query, (share) => presentShare(state, share));
  },

  revokeDocumentShare({ state, actor, path }) {
    findShare(state, actor, path).isActive = false;
  },

  listShareAccesses({ state, actor, path, query: { page, pageSize } }) {
    const kept = findShare(state, actor, path).accesses.filter(
      ({ accessedAt }) => Date.parse(accessedAt) > state.now() - accessRetention,
    );
    const order = { page, pageSize, sortBy: 'accessCount', sortOrder: 'desc' } as const;
    return toPage(kept, order, (access) => access);
  },

  /** Counts the access, except for HEAD. Every invalid token gets the same error. */
  openShare({ state, principal, isSignedIn, isHead, path, query }) {
    const share = [...state.tables.shares.values()].find(
      ({ shareToken }) => shareToken === path.token,
    );
    const document = share && state.tables.documents.get(share.documentId);
    if (!document || !isOpenable(state, share) || isSuspended(state, share)) {
      throw notFound('share');
    }
    if (share.access === 'authenticated' && !isSignedIn) throw new ServiceError('MISSING_AUTH');
    if (!isHead) countAccess(state, share, principal);
    const opened = { ...shownDocument(document, query), contentUrl: ticketUrl(state, share) };
    const { user, scopes = new Set() } = principal;
    const mayDerive = user?.id === share.userId && hasScope({ scopes }, 'documents:read');
    return mayDerive ? opened : withoutDerivation(opened);
  },

  /** Counts no access. Every invalid ticket gets the same error. */
  async getSharedContent({ state, isSignedIn, isHead, path, headers }) {
    const ticket = state.tables.tickets.get(path.ticket);
    const share = ticket && state.tables.shares.get(ticket.shareId);
    const document = share && state.tables.documents.get(share.documentId);
    // The cap of the share limits openings, not reading.
    const isValid = share?.isActive && !isPast(share.expiresAt, state);
    if (!document || !isValid || isPast(ticket.expiresAt, state)) throw notFound('content');
    if (share.access === 'authenticated' && !isSignedIn) throw new ServiceError('MISSING_AUTH');
    return contentReply(document, { headers, isHead });
  },
} satisfies Partial<Handlers>;

function countAccess(state: State, share: ShareRecord, principal: Visitor): void {
  share.accessCount += 1;
  const object = {
    shareId: share.id,
    documentId: share.documentId,
    accessCount: share.accessCount,
    accessedAt: timestamp(state.now()),
    ipAddress: '127.0.0.1',
    userAgent: principal.userAgent,
  };
  share.accesses.push(object);
  const { userId } = share;
  emit(state, { type: 'document.share.accessed', userId, principal, object });
}

/** @throws ServiceError NOT_FOUND, also for a share of another document */
function findShare(
  { tables }: State,
  actor: Actor,
  { id, shareId }: { readonly id: string; readonly shareId: string },
): ShareRecord {
  const share = requireVisible(actor, tables.shares.get(shareId), 'share', { shareId });
  if (share.documentId !== id) throw notFound('share', { shareId });
  return share;
}

/** Returns the path of a new ticket for the content of a share. */
function ticketUrl(state: State, { id: shareId }: ShareRecord): string {
  const ticket = randomToken();
  const expiresAt = timestamp(state.now() + ticketLifetime);
  state.tables.tickets.set(ticket, { shareId, expiresAt });
  return `/api/v1/contents/${ticket}`;
}

/** Whether a share is not revoked, used up or expired. */
export function isOpenable(state: State, share: ShareRecord): boolean {
  const { isActive, accessCount, maxAccessCount, expiresAt } = share;
  const isSpent = maxAccessCount !== null && accessCount >= maxAccessCount;
  return isActive && !isSpent && !isPast(expiresAt, state);
}

/**
 * Checks a share before its creation is replayed.
 *
 * @throws ServiceError VALIDATION_ERROR when it has ended
 */
export function requireUsableShare(state: State, { id }: Pick<CreatedShare, 'id'>): void {
  const share = state.tables.shares.get(id);
  if (share && isOpenable(state, share)) return;
  throw endedShare();
}

function isSuspended({ tables }: State, { userId }: ShareRecord): boolean {
  return tables.users.get(userId)?.status === 'suspended';
}

function presentShare(state: State, record: ShareRecord): Share {
  const { shareToken: _, userId: __, accesses: ___, ...share } = record;
  return { ...share, isActive: isOpenable(state, record) };
}
