import type { CookieOptions, Request, Response } from 'express';

/** A value that one browser keeps, unreadable for scripts. */
export interface BrowserCookie {
  /** Returns the value that the browser has sent. */
  read(request: Request): string | undefined;
  /** @param maxAge in milliseconds. Default: until the browser is closed */
  write(response: Response, value: string, maxAge?: number): void;
  clear(response: Response): void;
}

export interface BrowserCookieOptions {
  readonly name: string;
  /** The browser sends the cookie with requests below this path only. */
  readonly path: string;
  /** Whether the app is reached by https. */
  readonly isSecure: boolean;
}

/** Creates a cookie that other sites cannot send along with forms. */
export function createBrowserCookie({ name, path, isSecure }: BrowserCookieOptions): BrowserCookie {
  const options: CookieOptions = { path, httpOnly: true, sameSite: 'lax', secure: isSecure };
  return {
    read(request) {
      const pairs = (request.headers.cookie ?? '').split('; ');
      const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
      return value && Buffer.from(value, 'base64url').toString();
    },
    write(response, value, maxAge) {
      const encoded = Buffer.from(value).toString('base64url');
      response.cookie(name, encoded, { ...options, ...(maxAge !== undefined && { maxAge }) });
    },
    clear: (response) => void response.clearCookie(name, options),
  };
}
