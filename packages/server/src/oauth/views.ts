import type { IncomingMessage } from 'node:http';
import { pageHeaders } from '../http/headers.ts';
import { cacheableReply, entityTag } from '../http/replies.ts';
import type { Context, FlatHeaders, Reply } from '../http/request.ts';
import type { EngineContext, EnginePages } from './engine-configuration.ts';
import { languageOf } from './pages/language.ts';
import {
  type ConsentView,
  consentPage,
  type DeviceView,
  devicePage,
  errorPage,
  type SignInView,
  signInPage,
} from './pages/pages.ts';
import { styles } from './pages/styles.ts';
import { cookieNames, pagePaths, paths } from './paths.ts';

/** A page for one browser. */
type Visit = { readonly req: Pick<IncomingMessage, 'headers'> };

/** A page before its language is known. */
type Unspoken<View> = View extends unknown ? Omit<View, 'language' | 'styles'> : never;

/** Where the browser goes afterwards; undefined for a device. */
interface Leaving {
  readonly redirectUri: string | undefined;
}

/** The status of a wrong password is that of the sign-in by the API. */
type PasswordProblem = (SignInView['problem'] & { readonly status: number }) | null;

type WithProblem<View> = Omit<Unspoken<View>, 'problem'> & { readonly problem: PasswordProblem };

export type Views = ReturnType<typeof createViews>;

/**
 * Renders the pages as replies with their headers.
 *
 * @param https whether clients reach the server by https
 * @param baseUrl returns the server's public address
 */
export function createViews(https: boolean, baseUrl: () => string) {
  const html = (status: number, body: string, redirectUri?: string): Reply => ({
    status,
    body,
    type: 'text/html; charset=utf-8',
    securityHeaders: headersOf(https, redirectUri),
  });
  const spoken = <View extends object>({ req }: Visit, view: View) => ({
    ...view,
    language: languageOf(req.headers['accept-language']),
    styles: baseUrl() + pagePaths.styles,
  });

  return {
    signIn(visit: Visit, view: WithProblem<SignInView> & Leaving): Reply {
      return html(view.problem?.status ?? 200, signInPage(spoken(visit, view)), view.redirectUri);
    },

    consent(visit: Visit, view: WithProblem<ConsentView>): Reply {
      return html(view.problem?.status ?? 200, consentPage(spoken(visit, view)), view.redirectUri);
    },

    device(visit: Visit, view: Unspoken<DeviceView>): Reply {
      return html(200, devicePage(spoken(visit, view) as DeviceView));
    },

    /** @param given an error of RFC 6749, or `expired`, `forged` or `full` */
    error(visit: Visit, given: string): Reply {
      const problem = given === 'expired' && !hasCookie(visit) ? 'cookies' : given;
      return html(problem === 'forged' ? 403 : 400, errorPage(spoken(visit, { problem })));
    },

    styles: async (ctx: Context): Promise<Reply> =>
      cacheableReply(ctx, { body: styles, etag: stylesTag, type: 'text/css; charset=utf-8' }),
  };
}

/** Whether a browser has sent a cookie of these pages. */
export function hasCookie({ req }: Visit): boolean {
  const sent = req.headers.cookie?.split(/; */) ?? [];
  return Object.values(cookieNames).some((name) => sent.some((one) => one.startsWith(`${name}=`)));
}

const stylesTag = entityTag(styles);

/** Returns the headers of a page. Its forms may lead to the server and to the app that asks. */
function headersOf(https: boolean, redirectUri: string | undefined): FlatHeaders {
  const app = redirectUri === undefined ? '' : ` ${sourceOf(redirectUri)}`;
  return pageHeaders(https, ["style-src 'self'"], `'self'${app}`);
}

/**
 * Returns the origin of a redirect; the scheme alone for an app on the user's machine. The characters that separate
 * directives and policies are encoded, because a host may contain them.
 */
function sourceOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  const source = origin === 'null' ? protocol : origin;
  return source.replaceAll(';', '%3B').replaceAll(',', '%2C');
}

/** The page that the engine has asked for, by its context. */
const rendered = new WeakMap<EngineContext, Reply>();

export function renderedPage(ctx: EngineContext): Reply | undefined {
  return rendered.get(ctx);
}

/** The pages that the engine shows itself. */
export function enginePages(views: Views): EnginePages {
  const formOf = (ctx: EngineContext) => {
    const { secret = '' } = (ctx.oidc.session?.state ?? {}) as { readonly secret?: string };
    return {
      action: ctx.oidc.issuer + paths.code_verification,
      csrf: { name: 'xsrf', value: secret },
    };
  };
  const show = (ctx: EngineContext, reply: Reply) => {
    rendered.set(ctx, reply);
    ctx.body = '';
  };
  return {
    deviceCode(ctx, userCode, problem) {
      const isInvalid = problem !== undefined;
      show(ctx, views.device(ctx, { ...formOf(ctx), step: 'code', userCode, isInvalid }));
    },
    deviceConfirmation: (ctx, userCode) =>
      show(ctx, views.device(ctx, { ...formOf(ctx), step: 'confirm', userCode })),
    deviceDone: (ctx) => show(ctx, views.device(ctx, { step: 'done' })),
    error: (ctx, { error }) => show(ctx, views.error(ctx, error)),
  };
}
