import { type KeyObject, randomBytes } from 'node:crypto';
import type { Command } from 'commander';
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
import {
  type CommandContext,
  type DataOption,
  existingDatabase,
  type OutputOptions,
  withData,
  withDatabaseAlone,
} from './command-context.ts';
import { CommandError, UsageError } from './errors.ts';
import { countOf, printJson } from './terminal.ts';

/** Adds the commands `master-key generate | rotate | remove | abandon`. */
export function addMasterKeyCommands(program: Command, context: CommandContext): void {
  const masterKey = program
    .command('master-key')
    .description('manage the key that seals the stored secrets');
  addGenerate(masterKey, context);
  addRotate(masterKey, context);
  addRemove(masterKey, context);
  addAbandon(masterKey, context);
}

function addGenerate(masterKey: Command, { terminal }: CommandContext): void {
  masterKey
    .command('generate')
    .description('print a new master key; stores nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Keep the key apart from the data folder and its backups. Without it, the server does not start.

Examples:
  $ (umask 077; document-vault master-key generate > master.key)`,
    )
    .action(({ json }: OutputOptions) => {
      const masterKey = randomBytes(32).toString('base64');
      if (json) printJson(terminal, { masterKey });
      else terminal.print(masterKey);
    });
}

function addRotate(masterKey: Command, context: CommandContext): void {
  const command = masterKey
    .command('rotate')
    .description('seal the stored secrets with a new master key')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The command reads the current key from DOCUMENT_VAULT_MASTER_KEY or DOCUMENT_VAULT_MASTER_KEY_FILE, and
the new key from DOCUMENT_VAULT_MASTER_KEY_NEW or DOCUMENT_VAULT_MASTER_KEY_NEW_FILE. It seals all
secrets in one transaction: after an interruption, one of the two keys opens all of them.

Examples:
  $ DOCUMENT_VAULT_MASTER_KEY_FILE=master.key DOCUMENT_VAULT_MASTER_KEY_NEW_FILE=new.key \\
      document-vault master-key rotate`,
    );
  withData(command).action((options: OutputOptions) => rotate(options, context));
}

async function rotate(options: OutputOptions, context: CommandContext): Promise<void> {
  const newKey = loadNewMasterKey(context.env);
  const replacement = await replaceMasterKey(context, options, newKey);
  const { terminal } = context;
  if (options.json) return printJson(terminal, replacement);
  const { before, after, secrets } = replacement;
  terminal.print(`Sealed ${secrets} secrets with master key ${after} instead of ${before}.`);
  terminal.print(`Start the server with ${after}. Earlier backups still need ${before}.`);
}

function addRemove(masterKey: Command, context: CommandContext): void {
  const command = masterKey
    .command('remove')
    .description('store the secrets unsealed, without a master key')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The command reads the key from DOCUMENT_VAULT_MASTER_KEY or DOCUMENT_VAULT_MASTER_KEY_FILE. Start the
server without it afterwards: a start with a master key seals the secrets again.

Examples:
  $ DOCUMENT_VAULT_MASTER_KEY_FILE=master.key document-vault master-key remove`,
    );
  withData(command).action((options: OutputOptions) => remove(options, context));
}

async function remove(options: OutputOptions, context: CommandContext): Promise<void> {
  const replacement = await replaceMasterKey(context, options, null);
  const { terminal } = context;
  if (options.json) return printJson(terminal, replacement);
  terminal.print(`Stored ${replacement.secrets} secrets without a master key.`);
  terminal.print('Start the server without a master key: a start with one seals them again.');
}

interface AbandonOptions extends OutputOptions {
  readonly yes?: true;
}

function addAbandon(masterKey: Command, context: CommandContext): void {
  const command = masterKey
    .command('abandon')
    .description('remove the secrets of a lost master key, so that the server starts again')
    .option('--yes', 'abandon the secrets without confirmation')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Documents, accounts, passwords, API keys and shares stay. The next start makes new signing keys. Everyone
has to sign in again. Webhooks are switched off and lose their secret and headers: their owners set a new
secret, then switch them on. Backups of before still need the lost key.

Examples:
  $ document-vault master-key abandon
  $ document-vault master-key abandon --yes`,
    );
  withData(command).action((options: AbandonOptions) => abandon(options, context));
}

async function abandon(options: AbandonOptions, context: CommandContext): Promise<void> {
  const { terminal, clock } = context;
  if (!options.yes && !terminal.isInteractive) {
    throw new UsageError('No terminal to confirm on. Pass --yes to abandon the secrets.');
  }
  const config = existingDatabase(context, options);
  const { masterKey } = config;
  await withDatabaseAlone(config, async (driver) => {
    await migrate(driver, { clock });
    const keyId = await lostKeyId(driver.reader, masterKey);
    if (!options.yes) await confirmAbandoning(keyId, context);
    const abandoned = await abandonSecrets(driver, masterKey, clock.now());
    if (options.json) return printJson(terminal, abandoned);
    const { webhooks, sessions } = abandoned;
    terminal.print(
      `Removed the secrets of master key ${keyId}, and ended ${countOf(sessions, 'session')}.`,
    );
    terminal.print(
      `Switched off ${countOf(webhooks, 'webhook')}. A webhook needs a new secret from its owner.`,
    );
  });
}

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
 * @throws MasterKeyError, DatabaseInUseError before any change
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
