import {
  _,
  Ajv2020,
  type Code,
  type CodeKeywordDefinition,
  type Name,
  type Options,
  str,
} from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import {
  formats,
  jsonBytes,
  parseBoolean,
  parseInteger,
  writtenUrl,
} from '../generated/rules/formats.ts';

// Ajv with the formats and keywords of the contract. The validators of requests are compiled with it by
// `npm run generate`; validators of responses are compiled when a server that validates them needs them.

/** ajv-formats is CommonJS: its types put the function under `default`, Node imports it directly. */
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** Keywords that rewrite a text before its other keywords are checked. */
const rewriting = [
  rewrites('x-trimmed', ({ data }) => _`${data}.trim()`),
  // Of ids: UUIDs are read in any case and written in lower case (RFC 9562, section 4).
  rewrites('x-lower-case', ({ data }) => _`${data}.toLowerCase()`),
  rewrites('x-written-url', ({ gen, data }) => {
    const write = gen.scopeValue('func', { ref: writtenUrl, code: _`writtenUrl` });
    return _`${write}(${data})`;
  }),
];

function rewrites(
  keyword: string,
  rewritten: (cxt: Parameters<CodeKeywordDefinition['code']>[0]) => Code,
): CodeKeywordDefinition {
  return {
    keyword,
    type: 'string',
    schemaType: 'boolean',
    before: 'maxLength',
    code(cxt) {
      const { parentData, parentDataProperty } = cxt.it;
      cxt.gen.assign(cxt.data, _`${parentData}[${parentDataProperty}] = ${rewritten(cxt)}`);
    },
  };
}

/** Parses the parameters of a query that are not texts: their names and their types. `Number` would read `0x1`. */
const parsed: CodeKeywordDefinition = {
  keyword: 'x-parsed',
  type: 'object',
  schemaType: 'object',
  before: 'properties',
  code({ gen, data, schema }) {
    const parse = {
      integer: gen.scopeValue('func', { ref: parseInteger, code: _`parseInteger` }),
      boolean: gen.scopeValue('func', { ref: parseBoolean, code: _`parseBoolean` }),
    };
    for (const [name, type] of Object.entries(schema as Record<string, keyof typeof parse>)) {
      const value = _`${data}[${name}]`;
      gen.if(_`${value} !== undefined`, () => gen.assign(value, _`${parse[type]}(${value})`));
    }
  },
};

/** Limits the bytes of a free-form object as JSON. */
const boundedBytes: CodeKeywordDefinition = {
  keyword: 'x-max-bytes',
  type: 'object',
  schemaType: 'number',
  error: {
    message: ({ schemaCode }) => str`must have at most ${schemaCode} bytes as JSON`,
    params: ({ schemaCode }) => _`{ limit: ${schemaCode} }`,
  },
  code(cxt) {
    const measure = cxt.gen.scopeValue('func', { ref: jsonBytes, code: _`jsonBytes` });
    cxt.fail(_`${measure}(${cxt.data}) > ${cxt.schemaCode}`);
  },
};

interface LimitedKeywords {
  readonly keywords: readonly string[];
  readonly type: string;
  readonly limit: string;
  readonly isWithin: (data: Name, limit: number) => Code;
}

/** Keywords whose cost grows with the value, and the keyword that limits its length. */
const limited: readonly LimitedKeywords[] = [
  {
    keywords: ['pattern', 'format'],
    type: 'string',
    limit: 'maxLength',
    // `maxLength` counts code points, of which a text has half as many as code units at least.
    isWithin: (data, limit) => _`${data}.length <= ${2 * limit}`,
  },
  {
    keywords: ['uniqueItems', 'items'],
    type: 'array',
    limit: 'maxItems',
    isWithin: (data, limit) => _`${data}.length <= ${limit}`,
  },
  {
    keywords: ['propertyNames', 'additionalProperties'],
    type: 'object',
    limit: 'maxProperties',
    isWithin: (data, limit) => _`Object.keys(${data}).length <= ${limit}`,
  },
];

/**
 * Skips costly keywords for a value that is longer than its schema allows. With `allErrors`, Ajv would go on to try
 * every item of a list that has too many, and an expression on a text of any length.
 */
function skipBeyondLimits(ajv: Ajv2020): void {
  for (const { keywords, type, limit, isWithin } of limited) {
    for (const keyword of keywords) {
      const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
      ajv.removeKeyword(keyword);
      ajv.addKeyword({
        ...definition,
        keyword,
        code(cxt, ruleType) {
          const max: unknown = cxt.parentSchema[limit];
          const run = () => definition.code(cxt, ruleType);
          if (typeof max !== 'number' || (ruleType ?? type) !== type) run();
          else cxt.gen.if(isWithin(cxt.data, max), () => cxt.gen.block(run));
        },
      });
    }
  }
}

/** Adds the known properties to the error of an unknown one, separated by commas. */
function nameKnownProperties(ajv: Ajv2020): void {
  const keyword = 'additionalProperties';
  const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    ...definition,
    keyword,
    error: {
      message: 'is not a known property',
      params: ({ params: { additionalProperty }, parentSchema }) =>
        _`{ additionalProperty: ${additionalProperty}, known: ${Object.keys(parentSchema?.properties ?? {}).join()} }`,
    },
  });
}

/** Creates an Ajv instance whose schemas can refer to the contract as `contract#/…`. */
export function createAjv(contract: object, options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    strict: true,
    // The build lints the contract. Compiling the meta-schema would take 0.1 s.
    validateSchema: false,
    ...options,
  });
  nameKnownProperties(ajv);
  skipBeyondLimits(ajv);
  addFormats(ajv);
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  ajv.addVocabulary(['example', 'x-addition', 'discriminator', ...Object.keys(contract)]);
  for (const keyword of rewriting) ajv.addKeyword(keyword);
  ajv.addKeyword(parsed);
  ajv.addKeyword(boundedBytes);
  ajv.addSchema(contract, 'contract', undefined, false);
  return ajv;
}
