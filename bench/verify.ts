/** Verification of webhooks by the package, by hand and by its peers. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseVerifyArguments } from './arguments.ts';
import { describeMachine, onPeerCores, splitCores } from './machine.ts';
import { installedVersion } from './peers/installed.ts';
import { saveResults, type VerificationFigures } from './results.ts';
import { failWhenMissed } from './targets.ts';
import { peers } from './verify/peers.ts';
import { judgeVerification, reportVerification } from './verify-report.ts';

const program = fileURLToPath(new URL('programs/verify.ts', import.meta.url));

export async function verify(args: readonly string[]): Promise<void> {
  const { seconds } = parseVerifyArguments(args);
  const cores = splitCores();
  const packages = new Set(peers.flatMap(({ packages }) => packages));
  const results = {
    machine: describeMachine(cores),
    seconds,
    versions: [...packages].map(installedVersion),
    figures: await measure(
      onPeerCores(cores, [process.execPath, program, '--seconds', `${seconds}`]),
    ),
  };
  await saveResults('verification', results);
  console.log(reportVerification(results));
  failWhenMissed(judgeVerification(results));
}

/** A process of its own, in which nothing else has been loaded. */
function measure([command = '', ...args]: readonly string[]): Promise<VerificationFigures[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, (error, output) => {
      if (error) reject(error);
      else resolve(JSON.parse(output) as VerificationFigures[]);
    });
    child.stderr?.pipe(process.stderr);
    process.once('exit', () => child.kill());
  });
}
