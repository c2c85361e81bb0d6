/** Writes the last figures into the README of this folder. */
import { readFile, writeFile } from 'node:fs/promises';
import { judgeDeliveries } from './deliveries-report.ts';
import { type SavedResults, type Stamp, savedResults } from './results.ts';
import { judgeSdk } from './sdk-report.ts';
import { type Judgement, judge, judgementTable } from './targets.ts';
import { judgeVerification } from './verify-report.ts';

const readme = new URL('README.md', import.meta.url);

const section = /(<!-- figures -->\n).*(<!-- end of figures -->)/s;

export async function writeFigures(): Promise<void> {
  const text = await readFile(readme, 'utf8');
  const figures = figuresSection(await savedResults());
  await writeFile(
    readme,
    text.replace(section, (_, start, end) => `${start}\n${figures}\n\n${end}`),
  );
}

/** Returns the judged figures of every part that was measured, with machine, versions and commit. */
export function figuresSection({
  comparison,
  deliveries,
  verification,
  sdk,
}: SavedResults): string {
  const parts = [
    comparison &&
      part('The server', comparison, {
        judgements: judge(comparison),
        versions: comparison.peers.flatMap(({ versions }) => versions),
      }),
    deliveries &&
      part('Deliveries', deliveries, { judgements: deliveries.figures.flatMap(judgeDeliveries) }),
    verification &&
      part('Verification', verification, {
        judgements: judgeVerification(verification),
        versions: verification.versions,
      }),
    sdk && part('The client', sdk, { judgements: judgeSdk(sdk), versions: sdk.versions }),
  ].filter((text) => text !== undefined);
  return parts.length > 0 ? parts.join('\n\n') : 'Nothing has been measured yet.';
}

interface Part extends Stamp {
  readonly machine: string;
}

function part(
  title: string,
  { machine, commit, date }: Part,
  { judgements, versions = [] }: { judgements: readonly Judgement[]; versions?: readonly string[] },
): string {
  const used = [...new Set(versions)].join(', ');
  const beside = used === '' ? '' : `\nBeside ${used}.`;
  const facts = `${title}: ${date}, commit ${commit}; ${machine}.${beside}`;
  return `${facts}\n\n\`\`\`text\n${judgementTable(judgements)}\n\`\`\``;
}
