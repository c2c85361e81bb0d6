import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { assertSound, deliver, requestBytes } from '../connection.ts';
import type { Target } from '../target.ts';
import { apply, type Edit, edit, hostileJson, hostileText } from '../values.ts';

// Access tokens and share tokens: the server accepts only the original ones.

type Input =
  | {
      readonly kind: 'jwt';
      readonly header: Readonly<Record<string, string>>;
      readonly claims: Readonly<Record<string, string>>;
      readonly signature: 'kept' | 'none' | 'hmac' | 'other';
      readonly edits: readonly Edit[];
    }
  | { readonly kind: 'share'; readonly text: string | null; readonly edits: readonly Edit[] };

/** Members with their values as JSON. */
const members = (names: readonly string[], values: fc.Arbitrary<string>) =>
  fc.dictionary(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, hostileText),
    values,
    { maxKeys: 3 },
  );

const inputs: fc.Arbitrary<Input> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('jwt' as const),
      header: members(
        ['alg', 'kid', 'typ', 'jku', 'jwk', 'x5u', 'crit', 'b64', 'zip'],
        fc.oneof(
          hostileJson,
          fc.constantFrom('"none"', '"None"', '"HS256"', '"RS256"', '"ES256"', '["b64"]', 'false'),
        ),
      ),
      claims: members(
        ['sub', 'iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'scope', 'sid', 'role'],
        fc.oneof(hostileJson, fc.constantFrom('9999999999', '-1', '"admin:*"', '["admin:*"]')),
      ),
      signature: fc.constantFrom('kept', 'none', 'hmac', 'other'),
      edits: fc.array(edit, { maxLength: 2 }),
    }),
  },
  fc.record({
    kind: fc.constant('share' as const),
    text: fc.option(hostileText),
    edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
  }),
);

function withMembers(part: string, changes: Readonly<Record<string, string>>): string {
  const object = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  for (const name of Object.keys(changes)) delete object[name];
  const kept = JSON.stringify(object).slice(1, -1);
  const added = Object.entries(changes).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return Buffer.from(`{${[kept, ...added].filter(Boolean).join()}}`).toString('base64url');
}

function tokenOf(input: Extract<Input, { kind: 'jwt' }>, right: string): string {
  const [head = '', payload = '', proof = ''] = right.split('.');
  const isChanged = (changes: object) => Object.keys(changes).length > 0;
  const header = isChanged(input.header) ? withMembers(head, input.header) : head;
  const claims = isChanged(input.claims) ? withMembers(payload, input.claims) : payload;
  const signed = `${header}.${claims}`;
  const signatures = {
    kept: proof,
    none: '',
    hmac: createHmac('sha256', 'document-vault').update(signed).digest('base64url'),
    other: Buffer.alloc(256, 7).toString('base64url'),
  };
  return apply(`${signed}.${signatures[input.signature]}`, input.edits);
}

/** Whether two tokens decode to the same bytes: base64url has several spellings of one value. */
function isSame(token: string, right: string): boolean {
  const meaning = (text: string) =>
    text
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('hex'))
      .join('.');
  return meaning(token) === meaning(right);
}

export const tokens: Target<Input> = {
  name: 'tokens',
  weight: 2,
  inputs,
  async attempt(input, { subject, resources }) {
    const right = input.kind === 'jwt' ? resources.accessToken : (resources.ids.share ?? '');
    const token =
      input.kind === 'jwt' ? tokenOf(input, right) : apply(input.text ?? right, input.edits);
    const sent =
      input.kind === 'jwt'
        ? token.replaceAll(/[^\x21-\xff]/g, '')
        : encodeURIComponent(token.toWellFormed());
    const bytes =
      input.kind === 'jwt'
        ? requestBytes('GET', '/api/v1/users/me', [
            ['Authorization', `Bearer ${sent}`],
            ['Connection', 'close'],
          ])
        : requestBytes('GET', `/api/v1/documents/share/${sent}`, [['Connection', 'close']]);
    const responses = await deliver(subject.port, { pieces: [bytes], ending: 'end' });
    for (const response of responses) {
      assertSound(response);
      if (response.status < 300 && !isSame(sent, right)) {
        throw new Error(`The server accepted a changed token: ${sent}`);
      }
    }
    await subject.assertUnharmed(bytes.length);
  },
};
