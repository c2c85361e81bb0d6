import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

// At SERIALIZABLE, PostgreSQL rolls a transaction back that depends on what another one has changed meanwhile. The
// product runs it again, and at READ COMMITTED it would go on. So each of these conflicts is a missing lock, unless the
// transaction took the lock there, or is an exception below.

/** Settings with which the log has every statement, by process. */
export const conflictSettings = [
  '-c default_transaction_isolation=serializable',
  '-c log_statement=all',
  '-c log_parameter_max_length=0',
  '-c log_line_prefix=%p:',
];

export interface Conflict {
  /** `concurrent update`, `concurrent delete` or `read/write dependencies among transactions`. */
  readonly reason: string;
  /** The statements of the transaction. The last one failed. */
  readonly statements: readonly string[];
}

type Exception = readonly [pattern: RegExp, why: string];

const keptClient: Exception = [
  / FROM oauth_clients .* FOR KEY SHARE$/,
  'each token of a client that is disabled meanwhile is refused',
];

/** Changes that may meet another one without an earlier lock. */
const safeChanges: readonly Exception[] = [
  [/^UPDATE \w+ SET (\w+) = \1 [+-] /, 'adds to the current value'],
  [/^UPDATE \w+ (\w) SET (\w+) = \1\.\2 [+-] /, 'adds to the current value, in a trigger'],
  [/^UPDATE oauth_artifacts SET .* AND consumed_at IS NULL/, 'only the first one takes effect'],
  [/^UPDATE oauth_grants SET .* AND revoked_at IS NULL$/, 'only the first one takes effect'],
  [/^UPDATE instances SET quota_warned = 1 .* AND quota_warned = 0$/, 'only the first one warns'],
  [/^UPDATE (api_keys|sessions) SET last_used_at = .* last_used_at <= /, 'the latest time stays'],
  [/^UPDATE oauth_grants SET expires_at = .* expires_at < /, 'the latest time stays'],
  [/^UPDATE content_erasures SET due_at = due_at /, 'locks the row, and tests it'],
  [/^UPDATE content_objects SET .* AND due_at IS NULL$/, 'takes effect in the named state only'],
  [
    /^DELETE FROM document_contents WHERE \(document_id, attempt, piece\) IN /,
    'deletes the content of a removed document in any state',
  ],
  [/^DELETE FROM uncounted_deliveries WHERE webhook_id = \$1 RETURNING/, 'takes what it deletes'],
  keptClient,
  [/^DELETE FROM (oauth_artifacts|failure_budgets) WHERE \w+ = \$1/, 'deletes it in any state'],
  [/^DELETE FROM users WHERE id = \$1/, 'deletes what belongs to the locked account in any state'],
  [
    /^DELETE FROM account_usage WHERE user_id = OLD\.id$/,
    'deletes the counters of a removed account in any state',
  ],
  [
    /^DELETE FROM deliveries WHERE id IN \( SELECT id .* webhook_id IN \(\$1/,
    'the webhook is gone',
  ],
];

/** Reads that need no lock in a transaction that changes something. */
const safeReads: readonly Exception[] = [
  [/^SELECT pg_/, 'reads no row'],
  [/^SELECT 1 AS used FROM /, 'an advisory lock reserves the id'],
  [/ FROM content_erasures WHERE document_id = /, 'the id of a new document is reserved'],
  [/ FROM content_parts WHERE document_id = /, 'the row of the upload is locked'],
  [/ FROM webhook_subscriptions WHERE /, 'an event goes to the webhooks of its moment'],
  [/ FROM current_webhook_statistics WHERE webhook_id = /, 'for the response, or a warning'],
  [/ FROM deliveries WHERE .* AND retry = 'bulk' LIMIT 1$/, 'retries can only end meanwhile'],
  [/ FROM account_usage WHERE (instance|user)_id IN /, 'sums of instances may be exceeded'],
  keptClient,
];

/** After this change, a transaction reads document and vault only for its event and its response. */
const access = /^UPDATE shares SET access_count = /;

/** The statement takes its rows in their current state, or changes them in one step. */
const takesRows = /\bFOR (NO KEY )?UPDATE\b|^(\/\*.*?\*\/ )?INSERT /;

function isSafe(statement: string, exceptions: readonly Exception[]): boolean {
  return exceptions.some(([pattern]) => pattern.test(statement));
}

/** Returns the statement that lacks a lock; undefined when none does. */
export function faultOf({ reason, statements }: Conflict): string | undefined {
  if (reason.startsWith('concurrent ')) {
    const failed = statements.at(-1) ?? '';
    return takesRows.test(failed) || isSafe(failed, safeChanges) ? undefined : failed;
  }
  // PostgreSQL remembers pages instead of rows, and tables of tests have one page. So transactions can depend on each
  // other for PostgreSQL that read nothing but rows that they locked.
  if (statements.some((statement) => access.test(statement))) return undefined;
  return statements.find(
    (statement) =>
      /^SELECT /.test(statement) && !takesRows.test(statement) && !isSafe(statement, safeReads),
  );
}

/** Reads the conflicts from the log of a server. */
export async function readConflicts(file: string): Promise<Conflict[]> {
  const running = new Map<string, string[]>();
  /** Conflicts whose entry can be followed by the statement of a trigger. */
  const failed = new Map<string, { readonly statements: string[] }>();
  const conflicts: Conflict[] = [];
  for await (const { process, level, text } of entries(file)) {
    const statements = running.get(process);
    if (!['DETAIL', 'HINT', 'CONTEXT'].includes(level)) failed.delete(process);
    const [, sql] = /^(?:statement|execute [^:]*): (.*)/.exec(text) ?? [];
    const [, reason] = /^could not serialize access due to (.*)/.exec(text) ?? [];
    if (level === 'LOG' && sql?.startsWith('BEGIN')) running.set(process, []);
    else if (level === 'LOG' && sql !== undefined) statements?.push(sql);
    else if (level === 'ERROR' && reason !== undefined && statements) {
      const conflict = { reason, statements: [...statements] };
      conflicts.push(conflict);
      failed.set(process, conflict);
    } else if (level === 'CONTEXT') {
      const [, inner] = /^SQL statement "(.*?)" PL\/pgSQL function /.exec(text) ?? [];
      if (inner !== undefined) failed.get(process)?.statements.push(inner.trim());
    }
  }
  return conflicts;
}

interface Entry {
  readonly process: string;
  readonly level: string;
  /** On one line. */
  readonly text: string;
}

/** The lines of an entry after its first one begin with a tab. */
async function* entries(file: string): AsyncGenerator<Entry> {
  let entry: Entry | undefined;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, process = '', level = '', text = ''] = /^(\d+):([A-Z]+): {2}(.*)/.exec(line) ?? [];
    if (process === '') {
      entry = entry && { ...entry, text: `${entry.text} ${line.trim()}`.trimEnd() };
      continue;
    }
    if (entry) yield entry;
    entry = { process, level, text: text.trimEnd() };
  }
  if (entry) yield entry;
}
