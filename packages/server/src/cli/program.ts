import { Command } from 'commander';
import { helpText } from '../config/options.ts';
import { assertNodeVersion, version } from '../version.ts';
import { addBackup } from './backup.ts';
import { addDevelopmentAccount } from './development-account.ts';
import { addDoctor } from './doctor.ts';
import { endingOf } from './failures.ts';
import { addKeyCreate } from './key/create.ts';
import { addKeyList } from './key/list.ts';
import { addKeyRevoke } from './key/revoke.ts';
import { addKeysRotate } from './keys/rotate.ts';
import { addMasterKeyGenerate } from './master-key/generate.ts';
import { addMasterKeyRemove } from './master-key/remove.ts';
import { addMasterKeyRotate } from './master-key/rotate.ts';
import { addRestore } from './restore.ts';
import { addStart } from './start.ts';
import { addUserCreate } from './user/create.ts';
import { addUserDelete } from './user/delete.ts';
import { addUserList } from './user/list.ts';
import { addUserResume } from './user/resume.ts';
import { addUserSetTier } from './user/set-tier.ts';
import { addUserSuspend } from './user/suspend.ts';
import type { Context } from './workplace.ts';

/**
 * Runs one command line.
 *
 * @param argv the arguments, without those of node
 * @returns the exit code: 0 done, 1 not done, 2 not understood
 */
export async function runCommandLine(argv: readonly string[], context: Context): Promise<number> {
  try {
    assertNodeVersion();
    const complete = withCommand(argv);
    await createProgram(complete, context).parseAsync(complete, { from: 'user' });
    return 0;
  } catch (error) {
    const { message, exitCode } = endingOf(error);
    if (message !== undefined) context.terminal.complain(message);
    return exitCode;
  }
}

/** Flags alone are for `start`. */
function withCommand(argv: readonly string[]): readonly string[] {
  const [first = ''] = argv;
  const isCommand = first !== '' && !first.startsWith('-');
  return isCommand || programFlags.includes(first) ? argv : ['start', ...argv];
}

const programFlags = ['--help', '-h', '--version', '-V'];

function createProgram(argv: readonly string[], context: Context): Command {
  const { terminal } = context;
  const program = new Command('document-vault')
    .description('A document vault: the server, and what its operator needs.')
    .usage('[command] [options]')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
      outputError: (text, write) => write(toSentences(text)),
    })
    .addHelpText('after', () => `\n${helpText()}`);

  addStart(program, context, argv.slice(1));
  addUserCommands(program.command('user').description('accounts'), context);
  addKeyCommands(program.command('key').description('API keys'), context);
  addKeysRotate(program.command('keys').description('the keys that sign access tokens'), context);
  addMasterKeyCommands(
    program.command('master-key').description('the key that seals the stored secrets'),
    context,
  );
  addDevelopmentAccount(program, context);
  addBackup(program, context);
  addRestore(program, context);
  addDoctor(program, context);
  return program;
}

function addUserCommands(user: Command, context: Context): void {
  addUserCreate(user, context);
  addUserList(user, context);
  addUserSetTier(user, context);
  addUserSuspend(user, context);
  addUserResume(user, context);
  addUserDelete(user, context);
}

function addKeyCommands(key: Command, context: Context): void {
  addKeyCreate(key, context);
  addKeyList(key, context);
  addKeyRevoke(key, context);
}

function addMasterKeyCommands(masterKey: Command, context: Context): void {
  addMasterKeyGenerate(masterKey, context);
  addMasterKeyRotate(masterKey, context);
  addMasterKeyRemove(masterKey, context);
}

/** Commander's `error: unknown command 'usr'\n(Did you mean user?)`, as everything else is said. */
function toSentences(text: string): string {
  const [problem = '', hint = ''] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  const sentence = problem.charAt(0).toUpperCase() + problem.slice(1).replace(/\.$/, '');
  return `${sentence}. ${hint.replace(/^\((.*)\)$/, '$1')}`.trimEnd();
}
