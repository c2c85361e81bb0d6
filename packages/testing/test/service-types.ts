// The test kit and the test server have one API. This file does not compile when they differ.

import type * as server from '@document-vault/server/testing';
import type * as kit from '@document-vault/testing';

/** The same functions, with promises of their results. */
type Async<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : Api[Name];
};

/** Compiles when both types accept each other's values. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;
const check = <_ extends true>(): void => undefined;
// @ts-expect-error - an account of the kit returns no promises
check<Same<kit.TestAccount, server.TestAccount>>();
// @ts-expect-error - the server has faults for graphql
check<Same<kit.FaultOptions, server.FaultOptions>>();

check<Same<Async<kit.TestAccount>, server.TestAccount>>();
check<Same<kit.NewTestAccount, server.NewTestAccount>>();
check<Same<kit.NewTestDocument, server.NewTestDocument>>();
check<Same<kit.Fault, server.Fault>>();
check<Same<keyof kit.FaultKinds, keyof server.FaultKinds>>();
check<Same<kit.ExpireTokensOptions, server.ExpireTokensOptions>>();

// The clocks can be passed to clients.
check<Same<Omit<kit.TestClock, 'sleep'>, Omit<server.TestServerClock, 'sleep'>>>();
export const clock = (service: server.TestServer): kit.TestClock => service.clock;

type Shared = 'baseUrl' | 'account' | 'clock' | 'createAccount' | 'fault' | 'reset';
check<Same<Shared, keyof kit.TestVault & keyof server.TestServer>>();
check<Same<ReturnType<Async<kit.TestVault>['reset']>, ReturnType<server.TestServer['reset']>>>();
check<
  Same<Parameters<kit.TestVault['createAccount']>, Parameters<server.TestServer['createAccount']>>
>();

// The server also takes faults for `graphql`, and nothing that the kit takes is missing.
export const fault = (service: server.TestServer): kit.TestVault['fault'] => service.fault;
check<Same<kit.FaultOptions['times'], server.FaultOptions['times']>>();
check<Same<Exclude<server.FaultOperation, kit.OperationId>, 'graphql'>>();

/** Options without the operations, which differ by `graphql`. */
type Further<Kinds, Kind extends keyof Kinds> = Omit<Required<Kinds[Kind]>, 'operations'>;
check<
  Same<
    { [Kind in keyof kit.FaultKinds]: Further<kit.FaultKinds, Kind> },
    { [Kind in keyof server.FaultKinds]: Further<server.FaultKinds, Kind> }
  >
>();
