import type { World } from './suite.ts';

/** A request as the companion or the foreign origin saw it. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a case asks of the servers' process; `fault` is an order of the server's test features. */
export interface Controls {
  /** Takes the server, and what the others noted, back to the beginning. */
  reset: { with: object; answers: object };
  fault: { with: object; answers: object };
  /** Moves the server's clock. */
  advance: { with: { readonly ms: number }; answers: object };
  arrivals: {
    with: object;
    answers: { readonly companion: readonly Arrival[]; readonly foreign: readonly Arrival[] };
  };
}

/** Asks the servers' process for something that no client can do. */
export async function control<Name extends keyof Controls>(
  { companion }: World,
  name: Name,
  input: Controls[Name]['with'] = {},
): Promise<Controls[Name]['answers']> {
  const body = JSON.stringify(input);
  const response = await fetch(`${companion}/control/${name}`, { method: 'POST', body });
  if (!response.ok) throw new Error(`control/${name}: ${await response.text()}`);
  return response.json();
}
