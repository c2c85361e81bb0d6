/** Who verifies a body, and how each is asked. */

export type Body = string | Buffer;

/** What a contestant is given is fixed but for the body: a string, or the same text as bytes. */
export type Call = (body: Body) => unknown;

export interface Contestant {
  readonly title: string;
  /** `raw` is written by hand; the fastest of these is what all others are held against. */
  readonly kind: 'raw' | 'own' | 'peer';
  /** Whether the call returns the parsed event, as against verifying alone. */
  readonly parses: boolean;
  /** Whether the call takes bytes; all take strings. */
  readonly takesBytes: boolean;
  readonly packages: readonly string[];
  /** Calls with the right signature of a text, made now, and with a wrong one. */
  prepare(text: string): { readonly right: Call; readonly forged: Call };
}

interface Description<Signature> extends Omit<Contestant, 'prepare' | 'packages' | 'takesBytes'> {
  readonly packages?: readonly string[];
  readonly takesBytes?: boolean;
  sign(text: string): Signature;
  /** Throws, rejects or gives `false` when the signature is not that of the body. */
  verify(body: Body, signature: Signature): unknown;
}

export function contestant<Signature>(description: Description<Signature>): Contestant {
  const { sign, verify, packages = [], takesBytes = true, ...facts } = description;
  return {
    ...facts,
    packages,
    takesBytes,
    prepare(text) {
      const signature = sign(text);
      const forgery = sign(`${text} `);
      return { right: (body) => verify(body, signature), forged: (body) => verify(body, forgery) };
    },
  };
}

/** Makes sure that what is measured is verification: the right is accepted, a forgery is not. */
export async function checkThatItVerifies(
  { title, parses, prepare }: Contestant,
  text: string,
  toBody: (text: string) => Body,
): Promise<void> {
  const { right, forged } = prepare(text);
  const body = toBody(text);
  const result = await right(body);
  if (result === false || (parses && JSON.stringify(result) !== text)) {
    throw new Error(`${title} does not accept a body that is rightly signed`);
  }
  if (await accepts(forged, body)) throw new Error(`${title} accepts a forged signature`);
  const changed = toBody(text.replace('Taxes', 'Faxes'));
  if (await accepts(right, changed)) throw new Error(`${title} accepts a changed body`);
}

/** Anything but a refusal is an acceptance. */
async function accepts(call: Call, body: Body): Promise<boolean> {
  try {
    return (await call(body)) !== false;
  } catch {
    return false;
  }
}
