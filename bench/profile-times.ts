/** Reads a profile of the processor's time. */
import type { Profiler } from 'node:inspector';

type Node = Profiler.Profile['nodes'][0];

export interface Time {
  readonly name: string;
  readonly microseconds: number;
}

/** Each most expensive first. */
export interface Times {
  /** Microseconds in which the process was not idle. */
  readonly total: number;
  /** Self time: what a function calls does not count. */
  readonly byFunction: readonly Time[];
  /** Self time of a package's functions together. */
  readonly byPackage: readonly Time[];
  /** This server's own functions with what they call, up to the next `await`. */
  readonly withCalls: readonly Time[];
}

export function timesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Times {
  const parents = new Map(nodes.flatMap((node) => node.children?.map((id) => [id, node]) ?? []));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  const withCalls = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id);
    // A delta leads to its sample; what the sample shows lasts until the next one.
    const microseconds = timeDeltas[index + 1] ?? 0;
    if (!node || node.callFrame.functionName === '(idle)') continue;
    total += microseconds;
    add(byFunction, describe(node, parents.get(id)), microseconds);
    add(byPackage, packageOf(node), microseconds);
    for (const name of ownCallers(node, parents)) add(withCalls, name, microseconds);
  }
  return {
    total,
    byFunction: sorted(byFunction),
    byPackage: sorted(byPackage),
    withCalls: sorted(withCalls),
  };
}

function add(times: Map<string, number>, name: string, microseconds: number): void {
  times.set(name, (times.get(name) ?? 0) + microseconds);
}

function sorted(times: Map<string, number>): Time[] {
  return [...times]
    .map(([name, microseconds]) => ({ name, microseconds }))
    .sort((a, b) => b.microseconds - a.microseconds);
}

/** Every function of this server on the stack, once. */
function ownCallers(node: Node, parents: ReadonlyMap<number, Node>): Set<string> {
  const names = new Set<string>();
  for (let at: Node | undefined = node; at; at = parents.get(at.id)) {
    if (isOwn(at)) names.add(nameOf(at));
  }
  return names;
}

function isOwn({ callFrame: { url } }: Node): boolean {
  return url.includes('/packages/') && !url.includes('/node_modules/');
}

/** What the engine and bindings do says little without its caller. */
function describe(node: Node, parent: Node | undefined): string {
  const native = node.callFrame.url === '' && !node.callFrame.functionName.startsWith('(');
  return native && parent ? `${nameOf(node)} < ${nameOf(parent)}` : nameOf(node);
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const name = functionName || '(anonymous)';
  if (url === '') return name;
  const file = url.replace(/^.*\/(node_modules|packages)\//, '');
  return `${name} ${file}:${lineNumber + 1}`;
}

/** `(native)` is what the engine and bindings do. */
function packageOf(node: Node): string {
  const { functionName, url } = node.callFrame;
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  if (isOwn(node)) return 'this server';
  if (url.startsWith('node:')) return url.replace(/^node:(internal\/)?([^/]+).*$/, 'node:$2');
  return /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url;
}
