/** What an attempt carries to be recognised. */
export interface Authorization {
  /** Header name in lower case. */
  readonly header: string;
  readonly value: string;
  /**
   * Replaces a token that the service called expired. Resolves when a replay makes sense.
   *
   * @throws SessionExpiredError, or what kept the renewal from happening
   */
  readonly renew?: () => Promise<void>;
}

/** Where the door gets credentials from. */
export interface Credentials {
  /** Credentials for the next attempt; undefined when there are none. */
  authorize(): Authorization | Promise<Authorization | undefined>;
  /** Is shown every answer. */
  observe?(response: Response): void;
}

/** Credentials of an API key. */
export function apiKeyCredentials(apiKey: string): Credentials {
  const authorization = { header: 'x-api-key', value: apiKey };
  return { authorize: () => authorization };
}
