/** What the ids of a filled folder are. */
export interface Facts {
  /** API keys of the account that everything belongs to, and of an administrator. */
  readonly keys: Readonly<Record<'owner' | 'admin', string>>;
  /** A vault with a hundredth of the documents. */
  readonly vaultId: string;
  readonly documentId: string;
  readonly size: { readonly documents: number; readonly vaults: number };
}

export interface Case {
  readonly name: string;
  /** How many times as long it may take with much as with little; default 2. */
  readonly target?: number;
  readonly as?: 'owner' | 'admin';
  path(facts: Facts): string;
}

const documentSorts = ['uploadedAt', 'updatedAt', 'fileName', 'sizeBytes'];
const vaultSorts = ['createdAt', 'updatedAt', 'name', 'documentCount', 'totalSize'];

type Filters = (facts: Facts) => Record<string, string>;

function list(area: string, query: Record<string, string>): string {
  return `/api/v1/${area}?${new URLSearchParams(query)}`;
}

/** First pages. @param sorts the default order first: it may take twice as long, the others ten times */
function sorted(area: string, sorts: string[], filters: Record<string, Filters>): Case[] {
  return Object.entries(filters).flatMap(([name, filter]) =>
    sorts.flatMap((sortBy, index) =>
      ['asc', 'desc'].map((sortOrder) => ({
        name: `${area}${name} by ${sortBy} ${sortOrder}`,
        target: index === 0 ? 2 : 10,
        path: (facts: Facts) => list(area, { ...filter(facts), sortBy, sortOrder }),
      })),
    ),
  );
}

const pdf = 'application/pdf';
const rare = 'application/x-rare';

/** Page 10,000 where there is one, of the small folder the first: the ratio is that of the depth. */
const deep = ({ size }: Facts, rows: number) =>
  String(Math.max(1, Math.min(10_000, Math.floor((rows * size.documents) / 1000 / 20))));

const deepPages: Case[] = documentSorts.flatMap((sortBy) => [
  {
    name: `documents, page 10,000 by ${sortBy}`,
    target: 10,
    path: (facts) =>
      list('documents', { sortBy, page: facts.size.documents > 200_000 ? '10000' : '1' }),
  },
  {
    name: `documents, middle page by ${sortBy}`,
    target: 10,
    path: ({ size }) =>
      list('documents', { sortBy, page: String(Math.floor(size.documents / 40)) }),
  },
  {
    name: `documents, last page by ${sortBy}`,
    target: 10,
    path: ({ size }) => list('documents', { sortBy, page: String(size.documents / 20) }),
  },
]);

const search = (name: string, area: string, query: Record<string, string>): Case => ({
  name: `${area}, search ${name}`,
  path: () => list(area, query),
});

export const cases: readonly Case[] = [
  { name: 'one document', path: ({ documentId }) => `/api/v1/documents/${documentId}` },
  ...sorted('documents', documentSorts, {
    '': () => ({}),
    ' of a vault': ({ vaultId }) => ({ vaultId }),
    ' of a type': () => ({ mimeType: pdf }),
    ' of a rare type': () => ({ mimeType: rare }),
    ' of a vault and type': ({ vaultId }) => ({ vaultId, mimeType: pdf }),
    ' of a vault and rare type': ({ vaultId }) => ({ vaultId, mimeType: rare }),
  }),
  ...deepPages,
  {
    name: 'documents of a type, page 5,000',
    target: 10,
    path: (facts) =>
      list('documents', { mimeType: pdf, page: deep(facts, 100) === '1' ? '1' : '5000' }),
  },
  search('of few finds', 'documents', { search: 'needle' }),
  search('of few finds by name', 'documents', { search: 'needle', sortBy: 'fileName' }),
  search('of no finds', 'documents', { search: 'nowhere' }),
  search('of few finds, common parts', 'documents', { search: 'invoice-contract-2003-00' }),
  search('of every tenth', 'documents', { search: 'invoice' }),
  search('of all', 'documents', { search: '.pdf' }),
  search('of two letters, many finds', 'documents', { search: 'in' }),
  search('of two letters, few finds', 'documents', { search: '世界' }),
  ...sorted('vaults', vaultSorts, {
    '': () => ({}),
    ' of a category': () => ({ category: 'personal' }),
    ' of a rare category': () => ({ category: 'rare' }),
    ' that are inactive': () => ({ isActive: 'false' }),
  }),
  {
    name: 'vaults, last page',
    target: 10,
    path: ({ size }) => list('vaults', { page: String(size.vaults / 20) }),
  },
  {
    name: 'vaults, middle page',
    target: 10,
    path: ({ size }) => list('vaults', { page: String(size.vaults / 40) }),
  },
  search('of few finds', 'vaults', { search: 'needle' }),
  search('of every tenth', 'vaults', { search: 'invoice' }),
  search('in descriptions, few finds', 'vaults/search', { search: 'haystack' }),
  search('in descriptions, many finds', 'vaults/search', { search: 'about' }),
  // Other orders of all accounts sort all rows, up to a limit.
  ...sorted('documents', ['uploadedAt'], { ' of all accounts': () => ({}) }).map(asAdmin),
  ...sorted('documents', ['uploadedAt'], {
    ' of all accounts, of a type': () => ({ mimeType: pdf }),
    ' of all accounts, of a rare type': () => ({ mimeType: rare }),
  }).map(asAdmin),
  ...sorted('vaults', ['createdAt'], { ' of all accounts': () => ({}) }).map(asAdmin),
];

function asAdmin(scenario: Case): Case {
  return { ...scenario, as: 'admin' };
}
