import type { Judgement, VerificationFigures, VerificationResults } from './results.ts';
import { type Cell, table } from './table.ts';
import { judgementOf, judgementTable, ratio } from './targets.ts';
import { bodies } from './verify/bodies.ts';

/** The ways of the package that are held against the target; Web Crypto is for where Node is not. */
const compared = ['verify, X-Service-Signature', 'verify, webhook-signature'];

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

const peer = 'standardwebhooks: verify';

/** The package is no slower than the library of the standard, which does as much. */
export function judgeVerification({ figures }: Pick<VerificationResults, 'figures'>): Judgement[] {
  return figures
    .filter(({ title }) => compared.includes(title))
    .map((own) => {
      const other = figures.find(
        ({ title, body, as }) => title === peer && body === own.body && as === own.as,
      );
      return judgementOf({
        name: `${own.title}: ${own.body} as ${own.as}, rate × standardwebhooks`,
        bound: 'at least',
        limit: 1,
        reached: ratio(own.ratio, other?.ratio),
        byProcessor: ratio(own.ratioByProcessor, other?.ratioByProcessor),
      });
    });
}
