import type { Queries } from '../driver.ts';
import type { Connection } from './connection.ts';
import { TransactionView } from './views.ts';

/**
 * Runs a script and `record` as one transaction. References between tables are off meanwhile and
 * checked before the commit: rebuilding a table, the only way SQLite has to change one deeply, would
 * otherwise delete everything that refers to it (https://sqlite.org/lang_altertable.html, section 7).
 */
export async function runScript(
  connection: Connection,
  sql: string,
  record: (queries: Queries) => Promise<void>,
): Promise<void> {
  // Not through a prepared statement: SQLite acts on this one while it compiles it.
  connection.script('PRAGMA foreign_keys = OFF');
  const view = new TransactionView(connection);
  try {
    connection.run('BEGIN IMMEDIATE');
    connection.script(sql);
    if (!connection.inTransaction) throw new Error('The script ended its own transaction.');
    await record(view);
    refuseBrokenReferences(connection);
    connection.commit();
  } finally {
    view.end();
    if (connection.inTransaction) connection.run('ROLLBACK');
    connection.script('PRAGMA foreign_keys = ON');
  }
}

function refuseBrokenReferences(connection: Connection): void {
  const [broken] = connection.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  if (broken) {
    throw new Error(
      `After the script, ${broken.table} refers to rows of ${broken.parent} that do not exist.`,
    );
  }
}
