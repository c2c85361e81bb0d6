/**
 * Returns the values of a plot's horizontal lines: zero and one or two round values above it, at equal distances. The
 * last one is at least the highest value.
 */
export function scaleOf(highest: number): readonly number[] {
  const half = Math.max(highest / 2, 1);
  const power = 10 ** Math.floor(Math.log10(half));
  const step = ([1, 2, 5].find((factor) => factor * power >= half) ?? 10) * power;
  return highest > step ? [0, step, 2 * step] : [0, step];
}
