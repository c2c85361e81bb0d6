import { RateGate } from './rate-gate.ts';

/** The time in which a client speaks for one account, or for nobody. A login or logout ends it. */
export interface Era {
  /** Whether there was ever a credential in it. */
  held: boolean;
  /** The account's rate limit. */
  readonly gate: RateGate;
  /** The account's rate limit and its budget for GraphQL. */
  readonly graphqlGate: RateGate;
}

/** Begins an era. */
export function createEra(held: boolean): Era {
  return { held, gate: new RateGate(), graphqlGate: new RateGate() };
}

/** What an attempt carries to be recognised. */
export interface Authorization {
  /** Header name in lower case. */
  readonly header: string;
  readonly value: string;
  /**
   * Replaces a token that the service rejected as expired or invalid. Resolves when a replay makes
   * sense.
   *
   * @throws SessionExpiredError, or what kept the renewal from happening
   */
  readonly renew?: () => Promise<void>;
}

/** Where the door gets credentials from. */
export interface Credentials {
  /** The present era. */
  readonly era: Era;
  /**
   * Credentials for the next attempt; undefined when there are none.
   *
   * @param begun - the era in which the call began
   * @throws SessionExpiredError when the call would go out for somebody else than it began for
   */
  authorize(begun: Era): Authorization | Promise<Authorization | undefined>;
  /** Is shown every answer. */
  observe?(response: Response): void;
}

/** Credentials of an API key. */
export function apiKeyCredentials(apiKey: string): Credentials {
  const authorization = { header: 'x-api-key', value: apiKey };
  return { era: createEra(true), authorize: () => authorization };
}
