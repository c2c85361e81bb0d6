import fc from 'fast-check';
import {
  contractOperations,
  type Operation,
} from '../../../packages/server/src/contract/contract.ts';
import { pagePaths, paths } from '../../../packages/server/src/oauth/paths.ts';
import {
  bodyProperties,
  exampleBody,
} from '../../../packages/server/test/support/request-fields.ts';
import { deliver, requestBytes } from '../connection.ts';
import { pathInto, type Resources, unreachable } from '../resources.ts';
import type { Target } from '../target.ts';

// How long one request keeps the others waiting: hostile values as large as the server reads them, in every place.

/** Milliseconds of processor time that a request may occupy the event loop. */
const maxWait = 50;
/** The same for the only operation with bodies above 1 MiB. */
const maxUploadWait = 250;
/** A request that takes longer is sent again: a pause for garbage or for compiling does not come each time. */
const noticeable = 10;
const tries = 6;

/** A text that begins as a valid value does, repeats something, and then ends in a way that breaks it. */
interface Hostile {
  readonly start: string;
  readonly unit: string;
  readonly end: string;
  /** Its part of the bytes that the place takes. */
  readonly share: number;
}

type Input = {
  /** A number that is taken modulo the count of operations, properties, headers or paths. */
  readonly at: number;
  readonly within: number;
  readonly hostile: Hostile;
} & (
  | { readonly place: 'body' | 'upload'; readonly shape: Shape }
  | { readonly place: 'query' | 'path' | 'header'; readonly form: Form }
  | { readonly place: 'document'; readonly shape: 'query' | 'variables' | 'shared' }
  | { readonly place: 'oauth'; readonly form: Form }
);

/** One long value, also after as many quotes, or many short ones. */
type Form = 'long' | 'quoted' | 'many' | 'repeated';
type Shape = 'text' | 'list' | 'texts' | 'nested' | 'members' | 'digits' | 'escaped';

const hostile: fc.Arbitrary<Hostile> = fc.record({
  start: fc.constantFrom(
    ...['', 'a', 'https://', 'https://a.example/', 'a@', 'a@b.', 'bytes=', 'bytes=0-', 'Bearer '],
    ...['Bearer eyJhbGciOiJSUzI1NiJ9.', 'Basic ', 'sha-256=:', '"', 'W/"', 'text/', 'a/b;'],
    ...['application/json;', 'for=', '2026-01-01T00:00:00', 'evt_', 'service_sk_', '{ me ', '{'],
  ),
  unit: fc.constantFrom(
    ...['a', '0', 'é', '😀', ' ', '\t', '.', '-', '/', ':', '@', '=', '+', ',', ';', '"', '\\'],
    ...['%', '%41', '%00', '\u0000', '(', '[', '{', '<', '&', '#', '$a', '!', '*', '~', '_', '\n'],
    ...['a.', 'a-', '.-', 'a:', 'a/', '//', '../', 'a=b;', 'a, ', '"x", ', '0-1,', 'en;q=0.1,'],
    ...['a{', '...F ', '@a ', '{ me ', 'a: me ', '"""', 'fragment F on Q { id } ', '[[', 'eyJ.'],
    ...['for=1.2.3.4,', '1.2.3.4, ', 'bytes=', ' AND ', '::', 'gzip,', 'Mozilla/5.0 (', 'B='],
    ...['\u0344\u0334', '\u2057'],
  ),
  end: fc.constantFrom('', '"', '\u0000', ' x', '!', '=', '}', ','),
  share: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    fc.double({ min: 0, max: 1, noNaN: true }),
  ),
});

const number = fc.nat(9_999);
const form = fc.constantFrom<Form>('long', 'quoted', 'many', 'repeated');
const common = { at: number, within: number, hostile };
const shapes: readonly Shape[] = [
  'text',
  'list',
  'texts',
  'nested',
  'members',
  'digits',
  'escaped',
];

const inputs: fc.Arbitrary<Input> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      ...common,
      place: fc.constant('body' as const),
      shape: fc.constantFrom(...shapes),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...common,
      place: fc.constant('upload' as const),
      shape: fc.constantFrom<Shape>('text', 'escaped', 'digits'),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      ...common,
      place: fc.constantFrom('query' as const, 'path' as const, 'header' as const),
      form,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ...common,
      place: fc.constant('document' as const),
      shape: fc.constantFrom('query' as const, 'variables' as const, 'shared' as const),
    }),
  },
  { weight: 12, arbitrary: fc.record({ ...common, place: fc.constant('oauth' as const), form }) },
);

/** Bytes of a request's target or of one header. Node refuses more than 16 KiB of both together. */
const headBytes = 13_000;
/** Bytes of a JSON body, just below the server's limits. */
const bodyBytes = { anonymous: 16_000, other: 1_000_000, upload: 44_000_000 };

function textOf({ start, unit, end, share }: Hostile, bytes: number): string {
  const room = Math.max(0, bytes - Buffer.byteLength(start + end));
  return start + unit.repeat(Math.floor((share * room) / Buffer.byteLength(unit))) + end;
}

/** Returns hostile JSON of about so many bytes. */
function jsonOf(input: Input, shape: Shape, bytes: number): string {
  const { hostile } = input;
  // Some texts grow when they become JSON.
  const text = (most: number) => {
    const json = JSON.stringify(textOf(hostile, most));
    return json.length <= most ? json : JSON.stringify(textOf(hostile, most / 6));
  };
  const count = Math.min(9_900, Math.floor(bytes / 12));
  switch (shape) {
    case 'list':
      return `[${Array(count)
        .fill(text(bytes / count - 1))
        .join()}]`;
    case 'texts':
      return `[${Array(400)
        .fill(text(bytes / 400 - 3))
        .join()}]`;
    case 'nested':
      return `${'[{"a":'.repeat(30)}${text(bytes - 300)}${'}]'.repeat(30)}`;
    case 'members': {
      const name = text(bytes / count - 10).slice(1, -1);
      return `{${Array.from({ length: count }, (_, at) => `"${name}${at}":0`).join()}}`;
    }
    case 'digits':
      return `1${'0'.repeat(bytes / 2)}.${'9'.repeat(bytes / 3)}`;
    case 'escaped':
      return `"${'\\u0041'.repeat(bytes / 6 - 1)}"`;
    default:
      return text(bytes);
  }
}

interface Sent {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const formType = 'application/x-www-form-urlencoded';
const json = ['Content-Type', 'application/json'] as const;

const pick = <Value>(values: readonly Value[], at: number) => values[at % values.length] as Value;

/** Operations with a JSON body. */
const withBody = contractOperations.filter(
  ({ body }) => body === 'required' || body === 'optional',
);

const uploadOperation = contractOperations.find(({ id }) => id === 'createDocument') as Operation;

type BodyInput = Input & { readonly place: 'body' | 'upload' };

function bodyRequest(input: BodyInput, resources: Resources): Sent {
  const isUpload = input.place === 'upload';
  const chosen = isUpload ? uploadOperation : pick(withBody, input.at);
  const small = chosen.anonymous ? bodyBytes.anonymous : bodyBytes.other;
  const property = isUpload
    ? 'encryptedData'
    : pick([...bodyProperties(chosen), 'unknown'], input.within);
  const value = jsonOf(input, input.shape, (isUpload ? bodyBytes.upload : small) - 2_000);
  const body = JSON.stringify({ ...bodyOf(chosen, resources), [property]: 0 });
  return {
    ...requestOf(chosen, resources),
    name: `${chosen.id}${isUpload ? ' of 32 MiB' : ''}`,
    // A function: texts have the patterns of `replace` in them.
    body: body.replace(`"${property}":0`, () => `"${property}":${value}`),
  };
}

function bodyOf(operation: Operation, { ids }: Resources): object {
  const example = exampleBody(operation);
  return {
    ...example,
    ...('vaultId' in example && { vaultId: ids.vaults }),
    ...('url' in example && { url: unreachable }),
  };
}

/** A valid request of an operation. */
function requestOf(operation: Operation, resources: Resources): Sent {
  const hasJson = withBody.includes(operation);
  return {
    name: operation.id,
    method: operation.method.toUpperCase(),
    path: pathInto(resources, operation.path, 'missing'),
    headers: hasJson ? [json] : [],
    body: hasJson ? JSON.stringify(bodyOf(operation, resources)) : '',
  };
}

const headerNames = [
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Access-Control-Request-Headers'],
  ...['Access-Control-Request-Method', 'Authorization', 'Content-Digest', 'Content-Type', 'Cookie'],
  ...['Forwarded', 'Idempotency-Key', 'If-Match', 'If-Modified-Since', 'If-None-Match', 'If-Range'],
  ...['Origin', 'Range', 'Referer', 'Sec-Fetch-Site', 'Traceparent', 'Tracestate', 'User-Agent'],
  ...['X-Api-Key', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Request-Id'],
];

/** What a header can have: Node refuses the rest before the server sees it. */
const headerText = (text: string) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');

/** Returns one long header, many of them, or one that is repeated. */
function headersOf(input: Input, form: Form): [string, string][] {
  const name = pick(headerNames, input.within);
  const value = (bytes: number) => headerText(textOf(input.hostile, bytes));
  if (form === 'long') return [[name, value(headBytes)]];
  if (form === 'quoted') return [[name, '"'.repeat(headBytes / 2) + value(headBytes / 2)]];
  return Array.from({ length: 300 }, (_, at) => [form === 'many' ? `X-${at}` : name, value(20)]);
}

/** Returns one long parameter, many of them, or one that is repeated. */
function parametersOf(input: Input, form: Form, names: readonly string[]): string {
  const name = pick([...names, 'unknown', '__proto__'], input.within);
  const value = (bytes: number) => targetText(textOf(input.hostile, bytes));
  if (form === 'long') return `${name}=${value(headBytes)}`;
  if (form === 'quoted') return `${name}=${'%22'.repeat(headBytes / 6)}${value(headBytes / 2)}`;
  return Array.from({ length: 3_000 }, (_, at) => `${form === 'many' ? `a${at}` : name}=`)
    .join('&')
    .slice(0, headBytes);
}

/** What the target of a request can have, percent-encodings that are not valid too. */
const targetText = (text: string) =>
  text
    .replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()))
    .slice(0, headBytes);

/** What is outside of the contract. */
const pages = [
  ...['POST /graphql', 'GET /graphql', 'GET /', 'GET /docs', 'GET /docs/scalar.js', 'GET /share/'],
  ...['GET /console/', 'GET /health/ready', 'GET /missing'],
];

function pageRequest(input: Input & { readonly form: Form }, name: string): Sent {
  const [method = '', path = ''] = name.split(' ');
  const isHeader = input.place === 'header';
  const body = method === 'POST' ? '{"query":"{ me { id } }"}' : '';
  return {
    name,
    method,
    path: isHeader ? path : `${path}?${parametersOf(input, input.form, [])}`,
    // Browsers accept gzip: GraphiQL has 9 MB without it.
    headers: [
      ['Accept', 'text/html, */*'],
      ['Accept-Encoding', 'gzip'],
      ...(isHeader ? headersOf(input, input.form) : []),
    ],
    body,
  };
}

function headRequest(
  input: Input & { readonly place: 'query' | 'path' | 'header' },
  resources: Resources,
): Sent {
  const chosen = pick([...contractOperations, ...pages], input.at);
  if (typeof chosen === 'string') return pageRequest(input, chosen);
  const valid = requestOf(chosen, resources);
  if (input.place === 'header') {
    return { ...valid, headers: [...valid.headers, ...headersOf(input, input.form)] };
  }
  if (input.place === 'path') {
    const segment = targetText(textOf(input.hostile, headBytes)).replaceAll(/[/?#]/g, '-');
    return {
      ...valid,
      path: chosen.path.replaceAll(/\{[^}]+\}/g, () => segment).slice(0, headBytes),
    };
  }
  const names = chosen.parameters.flatMap(({ name, in: place }) =>
    place === 'query' ? [name] : [],
  );
  return { ...valid, path: `${valid.path}?${parametersOf(input, input.form, names)}` };
}

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');

const createWebhook = 'createWebhook(input: $v) { id }';
const documentsOf = `fragment F on Vault { ${aliases(9, 'documents(search: $v, mimeType: $v, account: $v) { pagination { page } }')} }`;

/** Documents with a variable of an input, and of a text that is no input. */
const documents = {
  input: `mutation ($v: CreateWebhookInput!) { ${createWebhook} }`,
  text: `query ($v: String) { vaults(search: $v) { pagination { page } } }`,
} as const;

/** The same with many fields that share the variable, which a document of half the largest number of fields has. */
const sharing = {
  input: `mutation ($v: CreateWebhookInput!) { ${aliases(75, createWebhook)} }`,
  text: `query ($v: String) { ${aliases(16, 'vaults(search: $v, category: $v, account: $v) { data { ...F } }')} } ${documentsOf}`,
} as const;

function documentRequest(input: Input & { readonly place: 'document' }): Sent {
  const webhook = {
    ...{ url: unreachable, events: [], secret: '', description: '', headers: {} },
    metadata: {},
  };
  const property = pick([...Object.keys(webhook), 'v'], input.within);
  const value = jsonOf(input, pick(shapes, input.at), bodyBytes.other - 2_000);
  const v = property === 'v' ? 0 : { ...webhook, [property]: 0 };
  const variables = JSON.stringify({ v }).replace(
    `"${property}":0`,
    () => `"${property}":${value}`,
  );
  const text = JSON.stringify(textOf(input.hostile, bodyBytes.other / 2));
  const queries = input.shape === 'shared' ? sharing : documents;
  const body =
    input.shape === 'query'
      ? `{"query":${text}}`
      : `{"query":"${queries[property === 'v' ? 'text' : 'input']}","variables":${variables}}`;
  return {
    name: `graphql ${input.shape}`,
    method: 'POST',
    path: '/graphql',
    headers: [json],
    body,
  };
}

const oauthPaths = [
  ...Object.values(paths),
  ...Object.values(pagePaths),
  '/oauth/interaction/missing',
  '/.well-known/oauth-authorization-server',
];

const oauthNames = [
  ...['client_id', 'client_secret', 'client_assertion', 'client_assertion_type', 'redirect_uri'],
  ...['response_type', 'response_mode', 'scope', 'state', 'nonce', 'code_challenge', 'code'],
  ...['code_challenge_method', 'code_verifier', 'grant_type', 'refresh_token', 'token', 'resource'],
  ...['device_code', 'user_code', 'request', 'request_uri', 'prompt', 'claims', 'login_hint'],
  ...['ui_locales', 'acr_values', 'max_age', 'id_token_hint', 'dpop_jkt', 'csrf', 'xsrf'],
];

/** Valid parameters, so that the engine comes as far as to read the hostile one. */
function oauthParameters(clientId: string, name: string): string {
  const valid = {
    client_id: clientId,
    redirect_uri: 'https://tax.example.com/callback',
    response_type: 'code',
    scope: 'vaults:read',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    grant_type: 'authorization_code',
    token: 'unknown',
  };
  const kept = Object.entries(valid).filter(([given]) => given !== name);
  return new URLSearchParams(kept).toString();
}

function oauthRequest(input: Input & { readonly place: 'oauth' }, { ids }: Resources): Sent {
  const path = pick(oauthPaths, input.at);
  const method = input.at % 2 === 0 ? 'GET' : 'POST';
  const name = `oauth ${method} ${path}`;
  if (input.hostile.share < 0.3) {
    const headers = headersOf(input, input.form);
    return { name, method, path, headers, body: '' };
  }
  const hostileName = pick(oauthNames, input.within);
  const hostileParameters = parametersOf(input, input.form, [hostileName]);
  const parameters = `${oauthParameters(ids.clients ?? '', hostileName)}&${hostileParameters}`;
  if (method === 'GET')
    return { name, method, path: `${path}?${parameters}`, headers: [], body: '' };
  return { name, method, path, headers: [['Content-Type', formType]], body: parameters };
}

function requestFor(input: Input, resources: Resources): Sent {
  switch (input.place) {
    case 'body':
    case 'upload':
      return bodyRequest(input, resources);
    case 'document':
      return documentRequest(input);
    case 'oauth':
      return oauthRequest(input, resources);
    default:
      return headRequest(input, resources);
  }
}

function bytesOf({ method, path, headers, body }: Sent, apiKey: string): Buffer {
  const bytes = Buffer.from(body);
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const credentials = names.has('x-api-key') || names.has('authorization');
  return requestBytes(
    method,
    path,
    [
      ['Connection', 'close'],
      ['Content-Length', String(bytes.length)],
      ...(credentials ? [] : [['X-Api-Key', apiKey] as const]),
      ...headers,
    ],
    bytes,
  );
}

/** Operation or endpoint -> its longest wait, in milliseconds. */
const longest = new Map<string, number>();

export const waits: Target<Input> = {
  name: 'waits',
  weight: 12,
  inputs,
  async attempt(input, { subject, resources }) {
    const request = requestFor(input, resources);
    const limit = input.place === 'upload' ? maxUploadWait : maxWait;
    const bytes = bytesOf(request, subject.apiKey);
    // A header may announce a longer body than is sent.
    const ending = input.place === 'header' || input.place === 'oauth' ? 'end' : 'wait';
    let wait = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < tries && wait > noticeable; attempt += 1) {
      const responses = await deliver(subject.port, { pieces: [bytes], ending });
      const failed = responses.find(({ status }) => status >= 500);
      if (failed) throw new Error(`${request.name} returned ${failed.status}: ${failed.body}`);
      const { blockMs } = await subject.assertUnharmed(bytes.length, Number.POSITIVE_INFINITY);
      wait = Math.min(wait, blockMs);
    }
    longest.set(request.name, Math.max(wait, longest.get(request.name) ?? 0));
    if (wait > limit) {
      throw new Error(`${request.name} kept others waiting for ${Math.round(wait)} ms`);
    }
  },
  report: () =>
    [...longest]
      .sort(([, a], [, b]) => b - a)
      .slice(0, 10)
      .map(([name, wait]) => `${wait.toFixed(1).padStart(8)} ms  ${name}`),
};
