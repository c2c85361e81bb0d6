/** What the package is held against: verification as one would write it by hand for Node. */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { type Body, type Contestant, contestant } from './contestants.ts';
import { prefix, secret, sign } from './secret.ts';

const key = createSecretKey(secret, 'utf8');

/** Compares the 32 bytes. */
function verifyBytes(body: Body, signature: string): boolean {
  const expected = createHmac('sha256', key).update(body).digest();
  const given = Buffer.from(signature.slice(prefix.length), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Compares the header as it is, which spares decoding it. */
function verifyText(body: Body, signature: string): boolean {
  const digits = createHmac('sha256', key).update(body).digest('hex');
  const expected = Buffer.from(prefix + digits);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** As most instructions have it: the key is the string. */
function verifyByString(body: Body, signature: string): boolean {
  const digits = createHmac('sha256', secret).update(body).digest('hex');
  const expected = Buffer.from(prefix + digits);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parse(body: Body): unknown {
  return JSON.parse(typeof body === 'string' ? body : body.toString());
}

const alone = { kind: 'raw', parses: false, sign } as const;
const parsed = { kind: 'raw', parses: true, sign } as const;

export const raw: readonly Contestant[] = [
  contestant({ ...alone, title: 'raw: KeyObject, 32 bytes compared', verify: verifyBytes }),
  contestant({ ...alone, title: 'raw: KeyObject, hex compared', verify: verifyText }),
  contestant({ ...alone, title: 'raw: string key, hex compared', verify: verifyByString }),
  contestant({
    ...alone,
    title: 'raw: KeyObject, hex compared, awaited',
    verify: async (body, signature) => verifyText(body, signature),
  }),
  contestant({
    ...parsed,
    title: 'raw: KeyObject, 32 bytes compared, JSON.parse',
    verify: (body, signature) => verifyBytes(body, signature) && parse(body),
  }),
  contestant({
    ...parsed,
    title: 'raw: KeyObject, hex compared, JSON.parse',
    verify: (body, signature) => verifyText(body, signature) && parse(body),
  }),
];
