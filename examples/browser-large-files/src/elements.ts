/** Finds an element of the page that has to be there. */
export function element<T extends Element>(
  selector: string,
  kind: new () => T,
  within: ParentNode = document,
): T {
  const found = within.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${selector}`);
}

/** Shows a message about a problem, or removes it. */
export function showProblem(within: Element, text: string | undefined): void {
  const place = element('.problem', HTMLElement, within);
  place.textContent = text ?? '';
  place.hidden = text === undefined;
}

const units = ['bytes', 'KiB', 'MiB', 'GiB'];

/** Formats a number of bytes. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${value.toLocaleString('en', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${units[power]}`;
}
