import type { Scope } from '../../domain/shapes.ts';
import type { ErrorCode } from '../../generated/rules/errors.ts';
import { isOnDevice } from '../../generated/rules/oauth-clients.ts';
import { type Html, html } from './html.ts';
import type { Language } from './language.ts';
import { type PageProblem, type SignInProblem, texts } from './texts.ts';

// Pure functions from views to whole pages. No page has a script.

/** A hidden field that binds a form to its page. */
export interface HiddenField {
  readonly name: string;
  readonly value: string;
}

/** What every page needs. */
interface View {
  readonly language: Language;
  /** The address of the style sheet. */
  readonly styles: string;
}

interface FormView extends View {
  /** Where the form is sent. */
  readonly action: string;
  readonly csrf: HiddenField;
}

export interface SignInView extends FormView {
  readonly clientName: string;
  /** The entered address, after a problem. */
  readonly email: string;
  readonly problem: PasswordProblem;
}

/** Why a password was refused. */
type PasswordProblem = { readonly code: ErrorCode } | null;

export interface ConsentView extends FormView {
  readonly clientName: string;
  /** Says which name and addresses of the app the page shows. */
  readonly identity: HiddenField;
  readonly ownerName: string;
  readonly isVerified: boolean;
  /** Undefined for a device. */
  readonly redirectUri: string | undefined;
  readonly scopes: readonly Scope[];
  /** The permissions that were chosen before a problem. Default: all except `admin:*`. */
  readonly chosen?: readonly Scope[];
  /** Whether the user must enter the password to allow. */
  readonly needsPassword: boolean;
  readonly problem: PasswordProblem;
  /** Epoch milliseconds. */
  readonly endsAt: number;
  /** The address of the signed-in user. */
  readonly email: string;
}

export type DeviceView =
  | (FormView & { readonly step: 'code'; readonly userCode: string; readonly isInvalid: boolean })
  | (FormView & { readonly step: 'confirm'; readonly userCode: string })
  | (View & { readonly step: 'done' });

export interface ErrorView extends View {
  /** An error of RFC 6749, or `expired`, `cookies`, `forged` or `full`. */
  readonly problem: string;
}

/** Sends `email` and `password`, or `cancel`. */
export function signInPage(view: SignInView): string {
  const { language, email, problem } = view;
  const text = texts[language].signIn;
  const message = problem && text.problems[signInProblems[problem.code] ?? 'failed'];
  const marks = marksOf(problem);
  return page(view, text.title, [
    html`<p><strong><bdi>${view.clientName}</bdi></strong>${text.asks}</p>`,
    ...alert(message),
    form(view, [
      html`<div class="field"><label for="email">${text.email}</label>
<input id="email" type="email" name="email" autocomplete="username" required value="${email}"${marks}></div>
${passwordField(text.password, marks)}`,
      buttons(
        html`<button>${text.submit}</button>`,
        // Without a validation of the fields, which are empty then.
        html`<button name="cancel" value="yes" class="quiet" formnovalidate>${text.cancel}</button>`,
      ),
    ]),
  ]);
}

const signInProblems: Readonly<Partial<Record<ErrorCode, SignInProblem>>> = {
  INVALID_TOKEN: 'wrong',
  VALIDATION_ERROR: 'wrong',
  RATE_LIMIT_EXCEEDED: 'throttled',
  ACCOUNT_SUSPENDED: 'suspended',
};

/** Marks the fields that have a problem. */
function marksOf(problem: PasswordProblem | boolean): Html | null {
  return problem ? html` aria-invalid="true" aria-describedby="problem"` : null;
}

function passwordField(label: string, marks: Html | null): Html {
  return html`<div class="field"><label for="password">${label}</label>
<input id="password" type="password" name="password" autocomplete="current-password" required${marks}></div>`;
}

/** A hidden field that names the account for password managers. */
function accountField(email: string): Html {
  return html`<input type="email" autocomplete="username" value="${email}" readonly hidden>
`;
}

/** Sends `scope` for each permission and perhaps `password`, or `cancel`, or `sign-out`. */
export function consentPage(view: ConsentView): string {
  const { language, clientName, isVerified, scopes } = view;
  const text = texts[language].consent;
  const [before, after] = text.question;
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  return page(
    view,
    text.title,
    [
      html`<dl>
${fact(text.owner, view.ownerName)}
${fact(text.leadsTo, destinationOf(view))}
${fact(text.account, view.email)}
</dl>`,
      html`<p class="${isVerified ? 'verified' : 'caution'}">${isVerified ? text.verified : text.unverified}</p>`,
      ...alert(consentProblem(view)),
      form(view, [
        hidden(view.identity),
        html`<fieldset><legend>${text.scopes}</legend>${scopes.map((scope) => choice(view, scope))}</fieldset>
<p class="note">${text.keys}</p>
<p class="note">${text.ends(date.format(view.endsAt))} ${text.endIn}</p>`,
        ...(view.needsPassword
          ? [accountField(view.email), passwordField(text.password, marksOf(view.problem))]
          : []),
        buttons(
          html`<button>${text.allow}</button>`,
          html`<button name="cancel" value="yes" class="quiet" formnovalidate>${text.refuse}</button>`,
        ),
      ]),
      signOutForm(view),
    ],
    html`${before}<bdi>${clientName}</bdi>${after}`,
  );
}

/** A form of its own: the Enter key in another field must not sign out. */
function signOutForm(view: ConsentView): Html {
  const { notYou, signOut } = texts[view.language].consent;
  return form(
    view,
    [
      html`<span>${notYou}</span><button name="sign-out" value="yes" class="link">${signOut}</button>`,
    ],
    'inline',
  );
}

function consentProblem({ language, problem }: ConsentView): string | null {
  if (!problem) return null;
  const { signIn, consent } = texts[language];
  const kind = signInProblems[problem.code] ?? 'failed';
  return kind === 'wrong' ? consent.wrongPassword : signIn.problems[kind];
}

/** A permission with its warning. What concerns other accounts is not chosen beforehand. */
function choice({ language, chosen }: ConsentView, scope: Scope): Html {
  const { sentences, warnings } = texts[language].consent;
  const warning = warnings[scope];
  const id = `scope-${scope.replace(/\W/g, '-')}`;
  const isChosen = chosen ? chosen.includes(scope) : scope !== 'admin:*';
  const checked = isChosen ? html` checked` : null;
  const describedBy = warning === undefined ? null : html` aria-describedby="${id}-warning"`;
  return html`<div class="choice">
<input id="${id}" type="checkbox" name="scope" value="${scope}"${checked}${describedBy}>
<label for="${id}">${sentences[scope]} <code>${scope}</code></label>
${warning === undefined ? null : html`<p id="${id}-warning" class="caution">${warning}</p>`}
</div>
`;
}

/** Names where the browser goes: a host, or the scheme of an app. */
function destinationOf({ language, redirectUri }: ConsentView): string {
  const { thisDevice, otherDevice } = texts[language].consent;
  if (redirectUri === undefined) return otherDevice;
  const { protocol, host } = new URL(redirectUri);
  if (isOnDevice(redirectUri)) return `${thisDevice} (${host})`;
  return protocol === 'https:' ? host : `${thisDevice} (${protocol.slice(0, -1)})`;
}

/** Sends `user_code`; then `confirm` or `abort` with it. */
export function devicePage(view: DeviceView): string {
  const { language } = view;
  const text = texts[language].device;
  if (view.step === 'done') return page(view, text.doneTitle, [html`<p>${text.done}</p>`]);
  const { userCode } = view;
  if (view.step === 'confirm') {
    return page(view, text.confirmTitle, [
      html`<p>${text.question}</p><p class="code">${userCode}</p><p class="caution">${text.caution}</p>`,
      form(view, [
        hidden({ name: 'user_code', value: userCode }),
        buttons(
          html`<button name="confirm" value="yes">${text.confirm}</button>`,
          html`<button name="abort" value="yes" class="quiet">${text.refuse}</button>`,
        ),
      ]),
    ]);
  }
  const marks = marksOf(view.isInvalid);
  return page(view, text.title, [
    html`<p>${text.explanation}</p>`,
    ...alert(view.isInvalid ? text.invalid : null),
    form(view, [
      html`<div class="field"><label for="code">${text.code}</label>
<input id="code" class="code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required value="${userCode}"${marks}></div>`,
      buttons(html`<button>${text.submit}</button>`),
    ]),
  ]);
}

export function errorPage(view: ErrorView): string {
  const { language, problem } = view;
  const text = texts[language].error;
  const explained = Object.hasOwn(text.problems, problem) ? (problem as PageProblem) : 'other';
  return page(view, text.title, [
    html`<p>${text.problems[explained]}</p>
<p class="note">${text.reason} <code>${problem}</code></p>`,
  ]);
}

const logo = html`<svg viewBox="0 0 32 32" aria-hidden="true">
<rect x="4" y="13" width="24" height="16" rx="3" fill="currentColor"/>
<path d="M9 13V9a7 7 0 0 1 14 0v4" fill="none" stroke="currentColor" stroke-width="3"/>
<path class="lines" d="M11 18h10M11 22h10" stroke-width="2"/>
</svg>`;

/** @param heading the first heading. Default: the title */
function page(
  { language, styles }: View,
  title: string,
  content: readonly Html[],
  heading: Html = html`${title}`,
): string {
  const { product } = texts[language];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${product}</title>
<link rel="stylesheet" href="${styles}">
</head>
<body>
<div class="card">
<header>${logo}${product}</header>
<main>
<h1>${heading}</h1>
${content}
</main>
</div>
</body>
</html>
`.text;
}

function form({ action, csrf }: FormView, content: readonly Html[], className?: string): Html {
  const style = className === undefined ? null : html` class="${className}"`;
  return html`<form method="post" action="${action}"${style}>${hidden(csrf)}${content}</form>`;
}

function hidden({ name, value }: HiddenField): Html {
  return html`<input type="hidden" name="${name}" value="${value}">
`;
}

function alert(message: string | null): Html[] {
  return message === null ? [] : [html`<p id="problem" role="alert">${message}</p>`];
}

function buttons(...content: readonly Html[]): Html {
  return html`<div class="buttons">${content}</div>`;
}

function fact(name: string, value: string): Html {
  return html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`;
}
