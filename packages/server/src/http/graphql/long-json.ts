import { setImmediate } from 'node:timers/promises';

/** Characters that are written before the requests of others get their turn: some milliseconds of work. */
const stretch = 128 * 1024;

/** What JSON.stringify answers, a stretch at a time: at once, a large answer would hold everybody up. */
export async function longJson(data: unknown): Promise<string> {
  const stretches: string[] = [];
  let text = '';
  for (const piece of piecesOf(data)) {
    text += piece;
    if (text.length < stretch) continue;
    stretches.push(text);
    text = '';
    await setImmediate();
  }
  return stretches.join('') + text;
}

function* piecesOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [position, item] of value.entries()) {
      if (position > 0) yield ',';
      yield* piecesOf(item);
    }
    yield ']';
  } else if (isAnswered(value)) {
    let before = '{';
    for (const name in value) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* piecesOf(value[name]);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else {
    yield JSON.stringify(value);
  }
}

/** Whether an object was made of the fields of an answer: it has no prototype. Others are of free form, and bounded. */
function isAnswered(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}
