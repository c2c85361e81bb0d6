/** Filled in by the build, from package.json. */
declare const WEBHOOK_VERIFY_VERSION: string | undefined;

/** The version of this package; `source` when it runs from its sources. */
export const version =
  typeof WEBHOOK_VERIFY_VERSION === 'string' ? WEBHOOK_VERIFY_VERSION : 'source';
