/** Whether a text fits a rule. */
export type Check = (text: string) => boolean;

/** A hostile text of about a given number of characters. */
export type HostileText = (length: number) => string;

/** Repeated in the middle of hostile texts: a character of each kind that a rule treats differently. */
const repeated = [
  ...'aF0-_.:/@?#%&=+,;* \t["\\~é',
  '%41',
  'a.',
  'a-',
  '.-',
  'a:',
  'a/',
  '//',
  ':/',
  ', ',
  'a, ',
  '=:',
  '\r\n',
  '0.',
  '😀',
  // Combining marks that normalisation has to sort.
  '\u0344\u0334',
];

/** Ends of hostile texts: no rule accepts the first one, and most accept the last. */
const ends = ['\u0000', ' "', ''];

/** Returns texts that begin like an example, repeat something, and end where most rules reject them. */
export function hostileTexts(examples: readonly string[]): HostileText[] {
  const beginnings = new Set(['', 'a']);
  for (const example of examples) {
    for (let end = 1; end <= Math.min(example.length, 20); end += 1) {
      beginnings.add(example.slice(0, end));
    }
  }
  return [...beginnings].flatMap((beginning) =>
    repeated.flatMap((part) =>
      ends.map(
        (end) => (length: number) => beginning + part.repeat(Math.ceil(length / part.length)) + end,
      ),
    ),
  );
}

const smallLength = 2_000;
const factor = 4;
/** Between the growth of linear time, 4, and that of quadratic time, 16. */
const maxGrowth = 8;
/**
 * Processor time below which nothing is concluded, in milliseconds. 8,000 characters take linear checks a hundredth of
 * it, and quadratic ones ten times as much; on a slower machine, the growth decides.
 */
const measurable = 5;
const tries = 5;

/**
 * Whether a check takes more than linear time. Compares its processor time for a text with that for one four times as
 * long, so that neither the machine's speed nor its other processes matter. One try of five that grows as linear time
 * does is enough: a pause of this thread makes a check slower, and never faster.
 */
export function isSuperLinear(check: Check, textOf: HostileText): boolean {
  const large = textOf(smallLength * factor);
  const small = textOf(smallLength);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const spent = cost(check, large);
    if (spent < measurable || spent / cost(check, small) < maxGrowth) return false;
  }
  return true;
}

/** Returns the processor time of this thread for a check, in milliseconds. */
function cost(check: Check, text: string): number {
  const before = process.threadCpuUsage();
  check(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
