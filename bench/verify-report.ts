import type { Judgement, VerificationFigures, VerificationResults } from './results.ts';
import { type Cell, table } from './table.ts';
import { judgementOf, judgementTable } from './targets.ts';
import { bodies } from './verify/bodies.ts';

/** The ways of the package that are held against the targets; Web Crypto is for where Node is not. */
const compared = ['verifySignatureSync', 'verifySignature'];

const parts = [
  { title: 'verifying bytes', as: 'bytes', parses: false },
  { title: 'verifying a string', as: 'string', parses: false },
  { title: 'verifying bytes and parsing them', as: 'bytes', parses: true },
  { title: 'verifying a string and parsing it', as: 'string', parses: true },
] as const;

export function reportVerification({ machine, versions, figures }: VerificationResults): string {
  return [
    `${machine}\nbeside ${versions.join(', ')}`,
    ...parts.map(({ title, as, parses }) => {
      const shown = figures.filter((figure) => figure.as === as && figure.parses === parses);
      return `${title}: per second, and × the fastest raw\n\n${rateTable(shown)}`;
    }),
    judgementTable(judgeVerification({ figures })),
  ].join('\n\n');
}

function rateTable(figures: readonly VerificationFigures[]): string {
  const titles = [...new Set(figures.map(({ title }) => title))];
  const rows = titles.map((title) => [
    title,
    ...bodies.flatMap((body): Cell[] => {
      const found = figures.find((figure) => figure.title === title && figure.body === body.title);
      return found ? [Math.round(found.perSecond), found.ratio.toFixed(2)] : ['–', '–'];
    }),
  ]);
  return table(['', ...bodies.flatMap(({ title }) => [title, '×'])], rows);
}

/** Of the verification rate of the fastest raw `createHmac`. */
const rateLimit = 0.85;

export function judgeVerification({ figures }: Pick<VerificationResults, 'figures'>): Judgement[] {
  return figures
    .filter(({ title }) => compared.includes(title))
    .map(({ title, body, as, ratio, ratioByProcessor }) =>
      judgementOf({
        name: `${title}: ${body} as ${as}, rate × the fastest raw`,
        bound: 'at least',
        limit: rateLimit,
        reached: ratio,
        byProcessor: ratioByProcessor,
      }),
    );
}
