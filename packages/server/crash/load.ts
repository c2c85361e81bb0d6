import * as operations from './operations.ts';
import type { Random } from './random.ts';
import { known, type State } from './state.ts';

/** The resources of one client. */
export interface Holdings {
  readonly state: State;
  /** The tokens of shares, by id; the token of a share is lost when its creation got no response. */
  readonly tokens: ReadonlyMap<string, string>;
}

const mostVaults = 4;
const mostDocuments = 12;
const mostShares = 8;

type Choice = () => operations.Operation;

/** The client's next change: of every possible kind, creations most often. */
export function chooseOperation(
  holdings: Holdings,
  random: Random,
  unique: () => number,
): operations.Operation {
  const choices = [
    ...vaultChoices(holdings, random, unique),
    ...documentChoices(holdings, random, unique),
    ...shareChoices(holdings, random, unique),
  ];
  return random.pick(choices)();
}

function vaultChoices({ state }: Holdings, random: Random, unique: () => number): Choice[] {
  const ids = [...state.vaults.keys()];
  const create = () => operations.createVault(unique());
  if (ids.length === 0) return [create];
  return [
    ...(ids.length < mostVaults ? [create, create] : []),
    ...(ids.length > 2 ? [() => operations.deleteVault(random.pick(ids))] : []),
    () => operations.renameVault(unique(), random.pick(ids)),
  ];
}

function documentChoices({ state }: Holdings, random: Random, unique: () => number): Choice[] {
  const vaults = [...state.vaults.keys()];
  const ids = [...state.documents.keys()];
  if (vaults.length === 0) return [];
  const upload = () => operations.upload(unique(), random.pick(vaults), chooseSize(random));
  const choices: Choice[] = ids.length < mostDocuments ? [upload, upload, upload, upload] : [];
  if (ids.length === 0) return choices;
  choices.push(
    () => operations.renameDocument(unique(), random.pick(ids)),
    () => operations.deleteDocument(random.pick(ids)),
  );
  const id = random.pick(ids);
  const others = vaults.filter((vaultId) => vaultId !== known(state.documents, id).vaultId);
  if (others.length > 0) choices.push(() => operations.moveDocument(id, random.pick(others)));
  return choices;
}

function shareChoices({ state, tokens }: Holdings, random: Random, unique: () => number): Choice[] {
  const documents = [...state.documents.keys()];
  const open = [...state.shares].filter(([, { isActive }]) => isActive).map(([id]) => id);
  const choices: Choice[] = [];
  if (documents.length > 0 && state.shares.size < mostShares) {
    choices.push(() => operations.share(unique(), random.pick(documents)));
  }
  if (open.length > 0) choices.push(() => operations.revokeShare(state, random.pick(open)));
  const openable = open.flatMap((id) => {
    const token = tokens.get(id);
    return token === undefined ? [] : [{ id, token }];
  });
  if (openable.length > 0) {
    const { id, token } = random.pick(openable);
    choices.push(() => operations.openShare(state, id, token));
  }
  return choices;
}

/** Mostly small, sometimes too large for one page of the database, now and then of megabytes. */
function chooseSize(random: Random): number {
  const limit = random.pick([100, 2_000, 2_000, 20_000, 200_000]);
  return 1 + random.below(random.happens(0.02) ? 3_000_000 : limit);
}
