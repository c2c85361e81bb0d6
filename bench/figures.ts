/** Writes the last figures into the README of this folder. */
import { readFile, writeFile } from 'node:fs/promises';
import { databaseTable } from './databases-report.ts';
import { judgeDeliveries } from './deliveries-report.ts';
import { type Judgement, type SavedResults, type Stamp, savedResults } from './results.ts';
import { judgeScale } from './scale-report.ts';
import { judgeSdk } from './sdk-report.ts';
import { judge, judgementTable } from './targets.ts';
import { judgeVerification } from './verify-report.ts';

const readme = new URL('README.md', import.meta.url);

const section = /(<!-- figures -->\n).*(<!-- end of figures -->)/s;

/** The parts of the section, in their order. Each begins with its title. */
const titles = [
  'The server',
  'Deliveries',
  'Verification',
  'The client',
  'Scale',
  'Uploads and downloads',
  'Databases',
] as const;

type Title = (typeof titles)[number];

/** Replaces the parts that were measured here. The others stay: their results are on the machine that measured them. */
export async function writeFigures(): Promise<void> {
  const text = await readFile(readme, 'utf8');
  const measured = figuresOfParts(await savedResults());
  await writeFile(readme, withFigures(text, measured));
}

export type FiguresOfParts = Readonly<Partial<Record<Title, string>>>;

export function withFigures(text: string, measured: FiguresOfParts): string {
  return text.replace(section, (old, start, end) => {
    const parts = titles.map((title) => measured[title] ?? partIn(old, title));
    return `${start}\n${parts.filter((part) => part !== undefined).join('\n\n')}\n\n${end}`;
  });
}

function partIn(text: string, title: Title): string | undefined {
  const start = text.indexOf(`\n${title}: `);
  const end = text.indexOf('\n```\n', start);
  return start === -1 ? undefined : text.slice(start + 1, end + 4);
}

/** Returns the figures of every part that was measured, judged where there are targets, with machine, versions and commit. */
export function figuresOfParts(results: SavedResults): FiguresOfParts {
  const { comparison, deliveries, verification, sdk, scale, uploads, databases } = results;
  return {
    ...(comparison &&
      part('The server', comparison, {
        judgements: judge(comparison),
        versions: comparison.peers.flatMap(({ versions }) => versions),
      })),
    ...(deliveries &&
      part('Deliveries', deliveries, { judgements: deliveries.figures.flatMap(judgeDeliveries) })),
    ...(verification &&
      part('Verification', verification, {
        judgements: judgeVerification(verification),
        versions: verification.versions,
      })),
    ...(sdk && part('The client', sdk, { judgements: judgeSdk(sdk), versions: sdk.versions })),
    ...(scale && part('Scale', scale, { judgements: judgeScale(scale) })),
    ...(uploads && part('Uploads and downloads', uploads, { judgements: uploads.judgements })),
    ...(databases &&
      tablePart('Databases', databases, { table: databaseTable(databases.figures) })),
  };
}

interface Part extends Stamp {
  readonly machine: string;
}

function part(
  title: Title,
  measured: Part,
  { judgements, versions = [] }: { judgements: readonly Judgement[]; versions?: readonly string[] },
): FiguresOfParts {
  const used = [...new Set(versions)].join(', ');
  const beside = used === '' ? '' : `\nBeside ${used}.`;
  return tablePart(title, measured, { table: judgementTable(judgements), beside });
}

function tablePart(
  title: Title,
  { machine, commit, date }: Part,
  { table, beside = '' }: { readonly table: string; readonly beside?: string },
): FiguresOfParts {
  const facts = `${title}: ${date}, commit ${commit}; ${machine}.${beside}`;
  return { [title]: `${facts}\n\n\`\`\`text\n${table}\n\`\`\`` };
}
