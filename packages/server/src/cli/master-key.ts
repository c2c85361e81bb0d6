import { type KeyObject, randomBytes } from 'node:crypto';
import { loadNewMasterKey } from '../config/config.ts';
import { eraseRemnants, RemnantsError } from '../store/maintenance/remnants.ts';
import { migrate } from '../store/migrations.ts';
import {
  abandonSecrets,
  changeMasterKey,
  lostKeyId,
  readSealingState,
} from '../store/sealed-rows.ts';
import { masterKeyId } from '../store/sealing.ts';
import { command, common } from './command.ts';
import {
  type CommandContext,
  type DataOption,
  existingDatabase,
  withDatabaseAlone,
} from './command-context.ts';
import { CommandError, UsageError } from './errors.ts';
import { countOf } from './terminal.ts';

export const masterKeyCommands = [
  command({
    name: 'master-key generate',
    summary: 'print a new master key; stores nothing',
    options: { json: common.json },
    notes:
      'Keep the key apart from the data folder and its backups. Without it, the server does not start.',
    examples: ['(umask 077; document-vault master-key generate > master.key)'],
    async run() {
      const masterKey = randomBytes(32).toString('base64');
      return { result: { masterKey }, lines: [masterKey] };
    },
  }),
  command({
    name: 'master-key rotate',
    summary: 'seal the stored secrets with a new master key',
    options: common,
    notes: `The command reads the current key from DOCUMENT_VAULT_MASTER_KEY or DOCUMENT_VAULT_MASTER_KEY_FILE, and
the new key from DOCUMENT_VAULT_MASTER_KEY_NEW or DOCUMENT_VAULT_MASTER_KEY_NEW_FILE. It seals all
secrets in one transaction: after an interruption, one of the two keys opens all of them.`,
    examples: [
      `DOCUMENT_VAULT_MASTER_KEY_FILE=master.key DOCUMENT_VAULT_MASTER_KEY_NEW_FILE=new.key \\
      document-vault master-key rotate`,
    ],
    async run(given, context) {
      const newKey = loadNewMasterKey(context.env);
      const replacement = await replaceMasterKey(context, given, newKey);
      const { before, after, secrets } = replacement;
      return {
        result: replacement,
        lines: [
          `Sealed ${secrets} secrets with master key ${after} instead of ${before}.`,
          `Start the server with ${after}. Earlier backups still need ${before}.`,
        ],
      };
    },
  }),
  command({
    name: 'master-key remove',
    summary: 'store the secrets unsealed, without a master key',
    options: common,
    notes: `The command reads the key from DOCUMENT_VAULT_MASTER_KEY or DOCUMENT_VAULT_MASTER_KEY_FILE. Start the
server without it afterwards: a start with a master key seals the secrets again.`,
    examples: ['DOCUMENT_VAULT_MASTER_KEY_FILE=master.key document-vault master-key remove'],
    async run(given, context) {
      const replacement = await replaceMasterKey(context, given, null);
      return {
        result: replacement,
        lines: [
          `Stored ${replacement.secrets} secrets without a master key.`,
          'Start the server without a master key: a start with one seals them again.',
        ],
      };
    },
  }),
  command({
    name: 'master-key abandon',
    summary: 'remove the secrets of a lost master key, so that the server starts again',
    options: { yes: { help: 'abandon the secrets without confirmation' }, ...common },
    notes: `Documents, accounts, passwords, API keys and shares stay. The next start makes new signing keys. Everyone
has to sign in again. Webhooks are switched off and lose their secret and headers: their owners set a new
secret, then switch them on. Backups of before still need the lost key.`,
    examples: ['document-vault master-key abandon', 'document-vault master-key abandon --yes'],
    async run({ yes, ...given }, context) {
      const { terminal, clock } = context;
      if (!yes && !terminal.isInteractive) {
        throw new UsageError('No terminal to confirm on. Pass --yes to abandon the secrets.');
      }
      const config = existingDatabase(context, given);
      const { masterKey } = config;
      return withDatabaseAlone(config, async (driver) => {
        await migrate(driver, { clock });
        const keyId = await lostKeyId(driver.reader, masterKey);
        if (!yes) await confirmAbandoning(keyId, context);
        const abandoned = await abandonSecrets(driver, masterKey, clock.now());
        const sessions = countOf(abandoned.sessions, 'session');
        const webhooks = countOf(abandoned.webhooks, 'webhook');
        return {
          result: abandoned,
          lines: [
            `Removed the secrets of master key ${keyId}, and ended ${sessions}.`,
            `Switched off ${webhooks}. A webhook needs a new secret from its owner.`,
          ],
        };
      });
    },
  }),
];

/** @throws CommandError for any answer but the id of the key */
async function confirmAbandoning(keyId: string, { terminal }: CommandContext): Promise<void> {
  const answer = await terminal.ask(
    `This removes the signing keys and the webhook secrets of master key ${keyId} for good. Type its id to confirm: `,
  );
  if (answer.trim() !== keyId) throw new CommandError('The id differs. Nothing was removed.');
}

interface Replacement {
  readonly before: string;
  /** null: the secrets are stored unsealed. */
  readonly after: string | null;
  /** Number of secrets stored again. */
  readonly secrets: number;
}

/**
 * Replaces the master key of a database that no server uses.
 *
 * @throws OperatorError, DatabaseInUseError before any change
 */
async function replaceMasterKey(
  context: CommandContext,
  options: DataOption,
  to: KeyObject | null,
): Promise<Replacement> {
  const config = existingDatabase(context, options);
  const { masterKey: from, data: folder, databaseUrl } = config;
  const replacement = await withDatabaseAlone(config, async (driver) => {
    await migrate(driver, { clock: context.clock });
    const { keyId } = await readSealingState(driver.reader);
    const secrets = await changeMasterKey(driver, from, to);
    return { before: keyId ?? '', after: to && masterKeyId(to), secrets };
  });
  // The files of PostgreSQL belong to its operator.
  if (to === null || databaseUrl !== null) return replacement;
  try {
    await eraseRemnants(folder);
  } catch (error) {
    // The key is already replaced, so the command succeeds and prints a warning.
    if (!(error instanceof RemnantsError)) throw error;
    context.terminal.printError(error.message);
  }
  return replacement;
}
