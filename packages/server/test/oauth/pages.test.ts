import { describe, expect, test } from 'vitest';
import { grantableScopes } from '../../src/domain/access.ts';
import { languageOf } from '../../src/oauth/pages/language.ts';
import { consentPage, devicePage, errorPage, signInPage } from '../../src/oauth/pages/pages.ts';
import { texts } from '../../src/oauth/pages/texts.ts';
import { codeView, consentView, everyPage, signInView } from '../support/oauth/page-views.ts';

const languages = ['en', 'de'] as const;

/** Text that leaves its place in HTML when it is written without escapes. */
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>&lt;&#39;`;
const harmless =
  '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;&amp;lt;&amp;#39;';

/** Each page with one text in the place of every value that others choose. */
function pagesWith(text: string): string[] {
  const form = { styles: text, action: text, csrf: { name: text, value: text } };
  const names = { clientName: text, ownerName: text, email: text };
  const identity = { name: text, value: text };
  return languages.flatMap((language) => [
    signInPage(signInView(language, { ...form, ...names })),
    consentPage(consentView(language, { ...form, ...names, identity })),
    devicePage(codeView(language, { ...form, userCode: text })),
    devicePage({ ...form, language, step: 'confirm', userCode: text }),
    errorPage({ ...form, language, problem: text }),
  ]);
}

test('hostile values are escaped everywhere in every page', () => {
  const escaped = pagesWith(hostile).map((page) => page.replaceAll(harmless, 'text'));
  expect(escaped).toEqual(pagesWith('text'));
  for (const page of escaped) expect(page).not.toMatch(/<script|<img|onerror/);
});

describe.each(languages)('pages in %s', (language) => {
  test.each(Object.entries(everyPage(language)))(
    '%s is a whole page without a script',
    (_, text) => {
      expect(text).toMatch(new RegExp(`^<!doctype html>\n<html lang="${language}">`));
      expect(text.match(/<h1>/g)).toHaveLength(1);
      expect(text).toContain('<link rel="stylesheet" href="/oauth/pages.css">');
      expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i);
      expect(text).not.toMatch(/undefined|\[object|null</);
    },
  );

  test('the consent page has one sentence for each scope, and preselects all but admin:*', () => {
    const scopes = [...grantableScopes.admin];
    const text = consentPage(consentView(language, { scopes }));
    const sentences = scopes.map((scope) => texts[language].consent.sentences[scope]);
    expect(new Set(sentences).size).toBe(14);
    for (const [index, scope] of scopes.entries()) {
      expect(text).toContain(sentences[index]);
      const [input] =
        new RegExp(`<input[^>]*value="${scope.replace('*', '\\*')}"[^>]*>`).exec(text) ?? [];
      expect(input?.includes(' checked'), scope).toBe(scope !== 'admin:*');
    }
  });

  test('the consent page warns of webhooks:write and admin:*', () => {
    const { warnings } = texts[language].consent;
    expect(Object.keys(warnings)).toEqual(['webhooks:write', 'admin:*']);
    const careful = consentPage(consentView(language, { scopes: ['webhooks:write', 'admin:*'] }));
    const plain = consentPage(consentView(language, { scopes: ['webhooks:read'] }));
    for (const warning of Object.values(warnings)) {
      expect(careful).toContain(warning);
      expect(plain).not.toContain(warning);
    }
  });
});

test('the consent page names app, owner, account, destination and end', () => {
  const text = consentPage(consentView('en'));
  for (const part of [
    'Tax Assistant',
    'Linden Tax Advisers',
    'ada@example.com',
    '<bdi>tax.example.com</bdi>',
    'March 2, 2027',
    'Not verified',
    'does not get your passphrases or keys',
  ]) {
    expect(text).toContain(part);
  }
  expect(consentPage(consentView('de'))).toContain('2. März 2027');
  expect(consentPage(consentView('en', { isVerified: true }))).not.toContain('Not verified');
});

test.each([
  ['https://tax.example.com:8443/callback', 'tax.example.com:8443'],
  ['http://127.0.0.1:9123/callback', 'an app on this device (127.0.0.1:9123)'],
  ['com.example.app:/callback', 'an app on this device (com.example.app)'],
  ['https://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
  [undefined, 'your other device'],
])('the consent page for the redirect URI %s names %s', (redirectUri, name) => {
  expect(consentPage(consentView('en', { redirectUri }))).toContain(`<bdi>${name}</bdi>`);
});

test.each([
  ['INVALID_TOKEN', 'The email address or the password is wrong.'],
  ['RATE_LIMIT_EXCEEDED', 'Too many attempts.'],
  ['ACCOUNT_SUSPENDED', 'This account is suspended.'],
  ['INTERNAL_ERROR', 'Signing in failed.'],
] as const)(
  'the sign-in page explains %s and keeps the address, not the password',
  (code, message) => {
    const text = signInPage(signInView('en', { email: 'ada@example.com', problem: { code } }));
    expect(text).toContain(message);
    expect(text).toContain('value="ada@example.com"');
    expect(text).toMatch(/<input id="password" type="password"[^>]*>/);
    expect(text).not.toMatch(/<input id="password"[^>]*value=/);
  },
);

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT,en;q=0.8', 'de'],
  ['en-GB,de;q=0.9', 'en'],
  ['fr,de;q=0.5,en;q=0.4', 'de'],
  ['fr', 'en'],
  ['*', 'en'],
  ['*;q=0.1,de;q=0.2', 'de'],
  ['de;q=0', 'en'],
  ['de;q=2,en;q=0.1', 'en'],
  ['den', 'en'],
  [`${'x,'.repeat(4000)}de`, 'de'],
] as const)('Accept-Language %s selects %s', (accepted, language) => {
  expect(languageOf(accepted)).toBe(language);
});
