/** A page or redirect that a browser received. */
export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
  /** The address of a redirect that leaves the server; undefined for a page. */
  readonly leaves: URL | undefined;
}

/** A cookie as a browser stores it. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Attributes without path and expiry, in lower case. */
  readonly attributes: readonly string[];
}

/** Whether a cookie is sent with a request (RFC 6265, section 5.1.4). */
function matchesPath(path: string, { path: own }: Cookie): boolean {
  if (path === own) return true;
  return path.startsWith(own) && (own.endsWith('/') || path[own.length] === '/');
}

/** A browser without scripts: it keeps cookies, follows redirects inside the server and submits forms. */
export class Browser {
  readonly #origin: string;
  /** By name and path: cookies of one name with different paths stand beside each other. */
  readonly #cookies = new Map<string, Cookie>();

  constructor(server: { readonly url: string }) {
    this.#origin = server.url;
  }

  get cookies(): readonly Cookie[] {
    return [...this.#cookies.values()];
  }

  open(url: string | URL): Promise<Visit> {
    return this.#send(new URL(url, this.#origin), {});
  }

  /** Submits the first form of a page that has all of these fields and buttons, with its hidden fields. */
  submit(
    page: Visit,
    fields: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<Visit> {
    const forms = [
      ...page.html.matchAll(/<form method="post" action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g),
    ];
    const hasAll = ([form]: RegExpExecArray) =>
      Object.keys(fields).every((name) => form.includes(`name="${name}"`));
    const form = forms.find(hasAll);
    if (!form) throw new Error(`no form has ${Object.keys(fields)} in ${page.html}`);
    const [, action = '', content = ''] = form;
    const body = new URLSearchParams();
    for (const [input] of content.matchAll(/<input[^>]*>/g)) {
      const isSent = input.includes('type="hidden"') || / checked/.test(input);
      const name = /name="([^"]*)"/.exec(input)?.[1];
      const value = /value="([^"]*)"/.exec(input)?.[1] ?? '';
      if (isSent && name !== undefined && !(name in fields)) body.append(name, value);
    }
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) body.append(name, value as string);
    }
    return this.post(action, body);
  }

  post(
    url: string,
    body: URLSearchParams,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Visit> {
    const origin = { origin: this.#origin, 'sec-fetch-site': 'same-origin' };
    return this.#send(new URL(url, this.#origin), {
      method: 'POST',
      body,
      headers: { ...origin, ...headers },
    });
  }

  async #send(url: URL, init: RequestInit): Promise<Visit> {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie: this.#cookiesFor(url) },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const { status, headers } = response;
    const html = await response.text();
    const location = headers.get('location');
    if (location === null) return { status, headers, html, url: url.href, leaves: undefined };
    const target = new URL(location, url);
    if (target.origin === this.#origin) return this.#send(target, {});
    return { status, headers, html, url: url.href, leaves: target };
  }

  #cookiesFor({ pathname }: URL): string {
    return this.cookies
      .filter((cookie) => matchesPath(pathname, cookie))
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    const isRemoved = attributes.some((each) => /^expires=Thu, 01 Jan 1970/i.test(each));
    const key = `${path} ${name}`;
    const flags = attributes.filter((each) => !/^(path|expires)=/i.test(each));
    // Such a cookie would be sent to other hosts too.
    if (flags.some((each) => /^domain=/i.test(each))) throw new Error(`a domain in ${line}`);
    if (isRemoved) this.#cookies.delete(key);
    else {
      const lower = flags.map((each) => each.toLowerCase());
      this.#cookies.set(key, { name, value, path, attributes: lower });
    }
  }
}

/** Signs in on the page that a browser was led to, and agrees to everything that is preselected. */
export async function approve(
  browser: Browser,
  url: string | URL,
  user: { readonly email: string; readonly password: string },
): Promise<Visit> {
  const { email, password } = user;
  let page = await browser.open(url);
  if (page.html.includes('name="email"')) page = await browser.submit(page, { email, password });
  if (!page.html.includes('name="scope"')) return page;
  return browser.submit(page, page.html.includes('name="password"') ? { password } : {});
}

/** Enters the code of a device, signs in and agrees to everything, or refuses. */
export async function approveDevice(
  browser: Browser,
  device: { readonly verificationUri: string; readonly userCode: string },
  user: { readonly email: string; readonly password: string },
  decision: 'agree' | 'refuse' = 'agree',
): Promise<Visit> {
  const entry = await browser.open(device.verificationUri);
  const confirmation = await browser.submit(entry, { user_code: device.userCode });
  const signIn = await browser.submit(confirmation, { confirm: 'yes' });
  const { email, password } = user;
  const consent = await browser.submit(signIn, { email, password });
  return browser.submit(consent, decision === 'agree' ? {} : { cancel: 'yes' });
}
