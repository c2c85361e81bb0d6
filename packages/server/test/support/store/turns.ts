/** Counts the turns of the event loop, in which other requests run, until a promise resolves. */
export async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let counting = setImmediate(function count() {
    turns += 1;
    counting = setImmediate(count);
  });
  try {
    await work;
  } finally {
    clearImmediate(counting);
  }
  return turns;
}
