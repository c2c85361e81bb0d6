import { createAjv } from '../../../server/src/contract/ajv.ts';
import {
  contractDocument,
  contractOperations,
  type Operation,
  resolvePointer,
} from '../../../server/src/contract/contract.ts';

interface ResponseObject {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: object;
}

const bodies = createAjv(contractDocument);
const texts = createAjv(contractDocument, { coerceTypes: true });
const compiled = new Map<string, ReturnType<typeof bodies.compile>>();

function compile(ajv: typeof bodies, pointer: string) {
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `contract${pointer}` });
  compiled.set(pointer, validate);
  return validate;
}

/** A response. `operation` is undefined for paths that are not in the contract. */
export interface Seen {
  readonly operation: string | undefined;
  readonly status: number;
}

/**
 * Creates a `fetch` that validates status, headers and body of every response against the contract.
 *
 * @param seen - receives each response
 * @throws Error for a response that breaks the contract
 */
export function checkedFetch(seen: (answer: Seen) => void = () => {}) {
  return async (url: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url, init);
    const operation = operationOf(init.method ?? 'GET', new URL(url).pathname);
    // A response to HEAD has no body to validate.
    const problems = init.method === 'HEAD' ? [] : await problemsOf(operation, response.clone());
    const { status } = response;
    if (problems.length > 0) {
      throw new Error(`${operation?.id} ${status} breaks the contract: ${problems.join('; ')}`);
    }
    seen({ operation: operation?.id, status });
    return response;
  };
}

function operationOf(method: string, path: string): Operation | undefined {
  return contractOperations
    .filter((operation) => operation.method === method.toLowerCase())
    .flatMap((operation) =>
      [operation.path, ...operation.aliases].map((own) => ({ operation, own })),
    )
    .sort((a, b) => a.own.split('{').length - b.own.split('{').length)
    .find(({ own }) => new RegExp(`^${own.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    ?.operation;
}

async function problemsOf(operation: Operation | undefined, answer: Response): Promise<string[]> {
  const pointer = operation
    ? `${operation.pointer}/responses/${answer.status}`
    : '#/components/responses/NotFound';
  const found = resolvePointer(pointer) as (ResponseObject & { $ref?: string }) | undefined;
  if (!found) return ['the status is not in the contract'];
  const place = found.$ref ?? pointer;
  const response = resolvePointer(place) as ResponseObject;
  return [...(await bodyProblems(answer, place, response)), ...headerProblems(answer, response)];
}

async function bodyProblems(answer: Response, place: string, { content }: ResponseObject) {
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'no type';
  if (content && !(type in content)) return [`its body has ${type}`];
  if (type === 'application/octet-stream') {
    // The promise settles when the other copy of the body has been read.
    void answer.body?.cancel();
    return [];
  }
  const text = await answer.text();
  if (!content) return text === '' ? [] : ['it has a body'];
  const validate = compile(bodies, `${place}/content/application~1json/schema`);
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `body${instancePath} ${message}`,
  );
}

function headerProblems(answer: Response, { headers = {} }: ResponseObject): string[] {
  return Object.entries(headers).flatMap(([name, { $ref }]) => {
    const { required } = resolvePointer($ref) as { required?: boolean };
    const value = answer.headers.get(name);
    if (value === null) return required ? [`${name} is missing`] : [];
    const validate = compile(texts, `${$ref}/schema`);
    return validate(value) ? [] : [`${name} ${validate.errors?.[0]?.message}`];
  });
}
