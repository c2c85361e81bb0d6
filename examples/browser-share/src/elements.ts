/** Finds an element of the page that has to be there. */
export function element<T extends Element>(
  selector: string,
  kind: new () => T,
  within?: Element,
): T {
  const found = (within ?? document).querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${selector}`);
}

/** Shows a message about a problem, or removes it. */
export function showProblem(within: Element, text: string | undefined): void {
  const place = element('.problem', HTMLElement, within);
  place.textContent = text ?? '';
  place.hidden = text === undefined;
}
