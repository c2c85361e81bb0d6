import { _, Ajv2020, type CodeKeywordDefinition, type Options, str } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { formats, jsonBytes } from '../generated/rules/formats.ts';

// Ajv with the formats and keywords of the contract. The validators of requests are compiled with it by
// `npm run generate`; validators of responses are compiled when a server that validates them needs them.

/** ajv-formats is CommonJS: its types put the function under `default`, Node imports it directly. */
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** Trims a text before its other keywords are checked. */
const trimmed: CodeKeywordDefinition = {
  keyword: 'x-trimmed',
  type: 'string',
  schemaType: 'boolean',
  before: 'maxLength',
  code({ gen, data, it: { parentData, parentDataProperty } }) {
    gen.assign(data, _`${parentData}[${parentDataProperty}] = ${data}.trim()`);
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
  addFormats(ajv);
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  ajv.addVocabulary(['example', 'x-addition', 'discriminator', ...Object.keys(contract)]);
  ajv.addKeyword(trimmed);
  ajv.addKeyword(boundedBytes);
  ajv.addSchema(contract, 'contract', undefined, false);
  return ajv;
}
