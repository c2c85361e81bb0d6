import { grantableScopes } from '../../../src/domain/access.ts';
import type { Language } from '../../../src/oauth/pages/language.ts';
import {
  type ConsentView,
  consentPage,
  type DeviceView,
  devicePage,
  errorPage,
  type SignInView,
  signInPage,
} from '../../../src/oauth/pages/pages.ts';

// Views of the pages, for tests and for screenshots.

/** What every page has. */
export const base = { styles: '/oauth/pages.css' };

const form = { ...base, action: '/oauth/sign-in', csrf: { name: 'csrf', value: 'token' } };

export function signInView(language: Language, fields: Partial<SignInView> = {}): SignInView {
  return { ...form, language, clientName: 'Tax Assistant', email: '', problem: null, ...fields };
}

export function consentView(language: Language, fields: Partial<ConsentView> = {}): ConsentView {
  return {
    ...form,
    language,
    clientName: 'Tax Assistant',
    identity: { name: 'identity', value: '1' },
    ownerName: 'Linden Tax Advisers',
    isVerified: false,
    redirectUri: 'https://tax.example.com/callback',
    scopes: ['vaults:read', 'documents:read', 'webhooks:write'],
    needsPassword: false,
    problem: null,
    endsAt: Date.parse('2027-03-02T00:00:00Z'),
    email: 'ada@example.com',
    ...fields,
  };
}

export function codeView(
  language: Language,
  fields: Partial<DeviceView & { step: 'code' }> = {},
): DeviceView {
  return { ...form, language, step: 'code', userCode: '', isInvalid: false, ...fields };
}

/** Each page in one language, by name. */
export function everyPage(language: Language): Readonly<Record<string, string>> {
  const consent = (fields: Partial<ConsentView>) => consentPage(consentView(language, fields));
  const problems = ['expired', 'cookies', 'forged', 'full', 'invalid_redirect_uri', 'server_error'];
  return {
    'sign-in': signInPage(signInView(language)),
    'sign-in-wrong': signInPage(
      signInView(language, { email: 'ada@example.com', problem: { code: 'INVALID_TOKEN' } }),
    ),
    consent: consent({}),
    'consent-password': consent({ needsPassword: true, scopes: ['vaults:read'] }),
    'consent-password-wrong': consent({
      needsPassword: true,
      scopes: ['vaults:read', 'documents:read'],
      chosen: ['vaults:read'],
      problem: { code: 'INVALID_TOKEN' },
    }),
    'consent-one': consent({ isVerified: true, scopes: ['users:read'] }),
    'consent-native': consent({
      redirectUri: 'http://127.0.0.1:9123/callback',
      scopes: ['vaults:read', 'documents:read', 'documents:write'],
    }),
    'consent-device': consent({ redirectUri: undefined, scopes: ['vaults:read'] }),
    'consent-everything': consent({
      clientName: `${'Long'.repeat(20)} name`,
      ownerName: 'The Association of Independent Tax Advisers and Accountants',
      email: `${'first.middle.'.repeat(4)}last@example.com`,
      isVerified: true,
      redirectUri: 'com.example.scanner:/callback',
      scopes: [...grantableScopes.admin],
    }),
    device: devicePage(codeView(language)),
    'device-wrong': devicePage(codeView(language, { userCode: 'ABCD', isInvalid: true })),
    'device-confirm': devicePage({ ...form, language, step: 'confirm', userCode: 'WDJB-MJHT' }),
    'device-done': devicePage({ ...base, step: 'done', language }),
    ...Object.fromEntries(
      problems.map((problem) => [`error-${problem}`, errorPage({ ...base, language, problem })]),
    ),
  };
}
