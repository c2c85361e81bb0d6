import type { IncomingMessage } from 'node:http';
import type { ServiceError } from '../../errors.ts';
import { securityHeaders } from '../headers.ts';
import { cacheableReply, entityTag } from '../replies.ts';
import type { Context, FlatHeaders, Reply } from '../request.ts';
import type { EngineContext, EnginePages } from './engine.ts';
import { paths } from './paths.ts';
import { escapeHtml, form, hidden, page, styles } from './plain-pages.ts';

/** A form of one request of an app. */
interface FormView {
  /** Where the form is sent. */
  readonly action: string;
  readonly csrf: string;
  /** Where the browser goes afterwards; undefined for a device. */
  readonly redirectUri: string | undefined;
}

export interface SignInView extends FormView {
  readonly clientName: string;
  /** The entered address, after a problem. */
  readonly email: string;
  readonly problem: ServiceError | null;
}

export interface ConsentView extends FormView {
  readonly clientName: string;
  readonly ownerName: string;
  readonly isVerified: boolean;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly endsAt: number;
  /** The address of the signed-in user. */
  readonly email: string;
}

/** Why a page cannot continue. The engine's errors have their names of RFC 6749. */
export type Problem = 'expired' | 'forged' | 'full' | (string & {});

type Visit = { readonly req: Pick<IncomingMessage, 'headers'> };

export type Views = ReturnType<typeof createViews>;

/** Renders the pages as replies with their headers. */
export function createViews({ https }: { readonly https: boolean }) {
  const html = (status: number, body: string, redirectUri?: string): Reply => ({
    status,
    body,
    type: 'text/html; charset=utf-8',
    securityHeaders: pageHeaders(https, redirectUri),
  });

  return {
    signIn(_visit: Visit, view: SignInView): Reply {
      const { problem } = view;
      const fields = `${hidden({ name: 'csrf', value: view.csrf })}
<label>Email <input type="email" name="email" autocomplete="username" required value="${escapeHtml(view.email)}"></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button type="submit">Sign in</button>`;
      const message = problem ? `<p role="alert">${escapeHtml(problem.message)}</p>` : '';
      const cancel = form(
        view.action,
        `${hidden({ name: 'csrf', value: view.csrf })}<button name="cancel" value="yes">Cancel</button>`,
      );
      const body = page(
        'Sign in',
        `<p>${escapeHtml(view.clientName)} asks for access to your vault.</p>${message}${form(view.action, fields)}${cancel}`,
      );
      return html(problem?.status ?? 200, body, view.redirectUri);
    },

    consent(_visit: Visit, view: ConsentView): Reply {
      const scopes = view.scopes
        .map((scope) => {
          const checked = scope === 'admin:*' ? '' : ' checked';
          return `<li><label><input type="checkbox" name="scope" value="${escapeHtml(scope)}"${checked}> ${escapeHtml(scope)}</label></li>`;
        })
        .join('');
      const end = new Date(view.endsAt).toISOString().slice(0, 10);
      const fields = `${hidden({ name: 'csrf', value: view.csrf })}<ul>${scopes}</ul>
<button type="submit">Allow</button> <button name="cancel" value="yes">Refuse</button>`;
      const body = page(
        `Allow ${view.clientName}?`,
        `<p>Until ${end}. The app does not get your keys.</p>${form(view.action, fields)}`,
      );
      return html(200, body, view.redirectUri);
    },

    deviceCode(_visit: Visit, view: DeviceView): Reply {
      const fields = `${hidden({ name: 'xsrf', value: view.csrf })}
<label>Code <input name="user_code" autocomplete="off" required value="${escapeHtml(view.userCode)}"></label>
<button type="submit">Continue</button>`;
      const message = view.hasProblem ? '<p role="alert">The code is not valid.</p>' : '';
      return html(200, page('Connect a device', `${message}${form(view.action, fields)}`));
    },

    deviceConfirmation(_visit: Visit, view: DeviceView): Reply {
      const fields = `${hidden({ name: 'xsrf', value: view.csrf })}
${hidden({ name: 'user_code', value: view.userCode })}
<p>Does your device show this code? <strong>${escapeHtml(view.userCode)}</strong></p>
<button name="confirm" value="yes">Yes</button> <button name="abort" value="yes">No</button>`;
      return html(200, page('Connect a device', form(view.action, fields)));
    },

    deviceDone: (_visit: Visit): Reply =>
      html(200, page('Device connected', '<p>You can close this page.</p>')),

    error(_visit: Visit, problem: Problem): Reply {
      const body = `<p>The app's request cannot continue (${escapeHtml(problem)}).</p>`;
      return html(problem === 'forged' ? 403 : 400, page('Something went wrong', body));
    },

    styles: async (ctx: Context): Promise<Reply> =>
      cacheableReply(ctx, { body: styles, etag: stylesTag, type: 'text/css; charset=utf-8' }),
  };
}

const stylesTag = entityTag(styles);

export interface DeviceView {
  readonly action: string;
  readonly csrf: string;
  readonly userCode: string;
  readonly hasProblem: boolean;
}

/** Returns the headers of a page. Its forms may lead to the server and to the app that asks. */
function pageHeaders(https: boolean, redirectUri: string | undefined): FlatHeaders {
  return securityHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'", ...(redirectUri === undefined ? [] : [sourceOf(redirectUri)])],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    xXssProtection: false,
    strictTransportSecurity: https,
  });
}

/** Returns the origin of a redirect; the scheme alone for an app on the user's machine. */
function sourceOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === 'null' ? protocol : origin;
}

/** The page that the engine has asked for, by its context. */
const rendered = new WeakMap<EngineContext, Reply>();

export function renderedPage(ctx: EngineContext): Reply | undefined {
  return rendered.get(ctx);
}

/** The pages that the engine shows itself. */
export function enginePages(views: Views): EnginePages {
  const deviceView = (ctx: EngineContext, userCode: string, hasProblem: boolean): DeviceView => ({
    action: ctx.oidc.issuer + paths.code_verification,
    csrf: (ctx.oidc.session?.state as { secret?: string } | undefined)?.secret ?? '',
    userCode,
    hasProblem,
  });
  const show = (ctx: EngineContext, reply: Reply) => {
    rendered.set(ctx, reply);
    ctx.body = '';
  };
  return {
    deviceCode: (ctx, userCode, problem) =>
      show(ctx, views.deviceCode(ctx, deviceView(ctx, userCode, problem !== undefined))),
    deviceConfirmation: (ctx, userCode) =>
      show(ctx, views.deviceConfirmation(ctx, deviceView(ctx, userCode, false))),
    deviceDone: (ctx) => show(ctx, views.deviceDone(ctx)),
    error: (ctx, { error }) => show(ctx, views.error(ctx, error)),
  };
}
