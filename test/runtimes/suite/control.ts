import type { Environment } from './suite.ts';

/** A request that the stub server or the foreign origin has received. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A kind of fault with its options, as `fault` of the server takes them. */
export interface InjectedFault {
  readonly kind: string;
  readonly [option: string]: string | number;
}

/** Commands to the process of the servers. */
export interface Controls {
  /** Deletes all data of the server and all recorded requests. */
  reset: { input: object; output: object };
  /** Injects a fault into the server. */
  fault: { input: InjectedFault; output: object };
  /** Advances the clock of the server. */
  advance: { input: { readonly ms: number }; output: object };
  /** Signs the account in on the pages of OAuth and agrees. Returns where the browser is sent back to. */
  approve: { input: { readonly url: string }; output: { readonly url: string } };
  /** Enters the code of a device, signs the account in and agrees. */
  approveDevice: {
    input: { readonly userCode: string; readonly verificationUri: string };
    output: object;
  };
  /** Returns the requests since the last reset. */
  requests: {
    input: object;
    output: {
      readonly stub: readonly RecordedRequest[];
      readonly foreign: readonly RecordedRequest[];
    };
  };
}

/** Sends a command to the process of the servers. */
export async function control<Name extends keyof Controls>(
  { stub }: Environment,
  name: Name,
  input: Controls[Name]['input'] = {},
): Promise<Controls[Name]['output']> {
  const body = JSON.stringify(input);
  const response = await fetch(`${stub}/control/${name}`, { method: 'POST', body });
  if (!response.ok) throw new Error(`control/${name}: ${await response.text()}`);
  return response.json();
}
