import type { CreatedShare, DocumentWithContent, Share } from '../../generated/types.ts';
import { visible } from '../actor.ts';
import { emit } from '../events.ts';
import { Failure, notFound, violation } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { randomToken } from '../ids.ts';
import { toPage } from '../listing.ts';
import { isPast, type ShareRecord, timestamp, type World } from '../world.ts';
import { refuseExcess } from './account-limits.ts';
import { findDocument, withContent } from './documents.ts';

const day = 24 * 60 * 60 * 1_000;
const defaultLifetime = 7 * day;
const longestLifetime = 365 * day;

export const shareHandlers = {
  shareDocument({ world, actor, path, body }): CreatedShare {
    const expiresAt = timestamp(expiryOf(body.expiresAt, world.now()));
    const document = findDocument(world, actor, path.id);
    refuseExcess(world, document.userId, 'shares');
    const share: ShareRecord = {
      id: world.ids.resource(),
      documentId: document.id,
      userId: document.userId,
      shareToken: randomToken(),
      permissions: body.permissions,
      access: body.access,
      expiresAt,
      maxAccessCount: body.maxAccessCount,
      accessCount: 0,
      isActive: true,
      createdAt: timestamp(world.now()),
    };
    world.tables.shares.set(share.id, share);
    const object = presentShare(world, share);
    const { userId } = share;
    emit(world, { type: 'document.shared', userId, visitor: actor, data: { object } });
    return { ...object, shareToken: share.shareToken };
  },

  listDocumentShares({ world, actor, path, query }) {
    const { id } = findDocument(world, actor, path.id);
    const found = [...world.tables.shares.values()].filter(({ documentId }) => documentId === id);
    return toPage(found, query, (share) => presentShare(world, share));
  },

  revokeDocumentShare({ world, actor, path: { id, shareId } }) {
    const share = visible(actor, world.tables.shares.get(shareId), 'share', { shareId });
    if (share.documentId !== id) throw notFound('share', { shareId });
    share.isActive = false;
  },

  /** Counts the access. Every token that opens nothing gets the same error. */
  openShare({ world, visitor, isSignedIn, path }) {
    const share = [...world.tables.shares.values()].find(
      ({ shareToken }) => shareToken === path.token,
    );
    const document = share && world.tables.documents.get(share.documentId);
    if (!document || !isOpenable(world, share) || isSuspended(world, share)) {
      throw notFound('share');
    }
    if (share.access === 'authenticated' && !isSignedIn) throw new Failure('MISSING_AUTH');
    share.accessCount += 1;
    const object = {
      shareId: share.id,
      documentId: document.id,
      accessCount: share.accessCount,
      accessedAt: timestamp(world.now()),
      ipAddress: '127.0.0.1',
      userAgent: visitor.userAgent,
    };
    const { userId } = share;
    emit(world, { type: 'document.share.accessed', userId, visitor, data: { object } });
    const opened = withContent(document);
    return isSignedIn ? opened : withoutDerivation(opened);
  },
} satisfies Partial<Handlers>;

function expiryOf(requested: string | undefined, now: number): number {
  if (requested === undefined) return now + defaultLifetime;
  const moment = Date.parse(requested);
  if (moment <= now) throw violation('expiresAt', 'future', 'expiresAt must be in the future.');
  if (moment > now + longestLifetime) {
    throw violation('expiresAt', 'maximum', 'expiresAt must be at most 365 days away.');
  }
  return moment;
}

/** Whether it was not revoked, is not spent and has not expired. */
export function isOpenable(world: World, share: ShareRecord): boolean {
  const { isActive, accessCount, maxAccessCount, expiresAt } = share;
  const isSpent = maxAccessCount !== null && accessCount >= maxAccessCount;
  return isActive && !isSpent && !isPast(expiresAt, world);
}

function isSuspended({ tables }: World, { userId }: ShareRecord): boolean {
  return tables.users.get(userId)?.status === 'suspended';
}

/** Removes what only a passphrase needs, and free-form properties. */
function withoutDerivation(opened: DocumentWithContent): DocumentWithContent {
  const { algorithm, iv, authTag } = opened.encryptionMetadata;
  return { ...opened, encryptionMetadata: { algorithm, iv, authTag } };
}

function presentShare(world: World, record: ShareRecord): Share {
  const { shareToken: _, userId: __, ...share } = record;
  return { ...share, isActive: isOpenable(world, record) };
}
