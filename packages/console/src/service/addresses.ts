/** The scripts lie in `assets/` below the console. Not a literal: Vite would look for a file. */
const script = import.meta.url;

/** The address of the console, which can be behind a path of a proxy. */
export const consoleUrl = new URL('../', script);

/** The address of the service. */
export const serviceUrl = new URL('../', consoleUrl);

/** Returns the path of a screen. `screen` has no slash at its start, and can have a query. */
export function pathTo(screen: string): string {
  return consoleUrl.pathname + screen;
}

/** Whether browsers have Web Crypto here: only on https and on localhost. */
export const isSecure = window.isSecureContext;
