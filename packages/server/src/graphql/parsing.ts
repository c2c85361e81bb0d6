import {
  coerceInputValue,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  Kind,
  Lexer,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  type SelectionSetNode,
  Source,
  specifiedRules,
  TokenKind,
  typeFromAST,
  type ValidationRule,
  type VariableDefinitionNode,
  validate,
  valueFromAST,
} from 'graphql';
import { violation } from '../generated/rules/errors.ts';
import {
  GraphqlRequestError,
  type LocatedServiceError,
  maxErrors,
  redactMessage,
  requestError,
  throwIfAny,
  typeViolation,
} from './errors.ts';

// Parsing and validation of documents and variables, with limits: parsing, validating and comparing fields
// can each take long for a small document.

/** Characters of all cached documents. A parsed document takes about a hundred times as much memory. */
const maxCachedCharacters = 200_000;

/** Characters of one cached document. */
const maxCachedLength = maxCachedCharacters / 10;

export interface DocumentParserOptions {
  readonly schema: GraphQLSchema;
  /** Whether documents can query the schema. Without it, errors suggest no names of the schema. */
  readonly introspection: boolean;
}

/** Parses and validates documents. Caches the valid ones. */
export type DocumentParser = (text: string) => DocumentNode;

/**
 * Creates a parser with its cache.
 *
 * @returns a function that throws GraphqlRequestError for an invalid document, or one above a limit
 */
export function createDocumentParser(options: DocumentParserOptions): DocumentParser {
  const cache = new Map<string, DocumentNode>();
  let characters = 0;

  function drop(text: string): void {
    if (cache.delete(text)) characters -= text.length;
  }

  return (text) => {
    const document = cache.get(text) ?? parseDocument(text, options);
    // The most recently used document is the last one.
    drop(text);
    if (text.length <= maxCachedLength) {
      cache.set(text, document);
      characters += text.length;
    }
    for (const oldest of cache.keys()) {
      if (characters <= maxCachedCharacters) break;
      drop(oldest);
    }
    return document;
  };
}

/** Compares fields pairwise, in quadratic time, and therefore runs after the limits are checked. */
const comparison = OverlappingFieldsCanBeMergedRule;
const otherRules = specifiedRules.filter((rule) => rule !== comparison);

function parseDocument(text: string, { schema, introspection }: DocumentParserOptions) {
  const document = parseText(text);
  const check = (rules: readonly ValidationRule[]) => {
    const options = { maxErrors, hideSuggestions: !introspection };
    throwIfAny(validate(schema, document, rules, options).map(toRequestError));
  };
  check(introspection ? otherRules : [...otherRules, NoSchemaIntrospectionCustomRule]);
  checkDocumentSize(document);
  check([comparison]);
  return document;
}

function parseText(text: string): DocumentNode {
  try {
    checkTextSize(text);
    return parse(text);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const cause = violation('query', 'syntax', redactMessage(error.message));
    throw new GraphqlRequestError([{ cause, locations: error.locations }]);
  }
}

function toRequestError({ message, locations }: GraphQLError): LocatedServiceError {
  return { cause: typeViolation(message, 'query'), locations };
}

/** Bytes of a document. The lexer also passes commas, white space and comments, which are no tokens. */
const maxBytes = 64 * 1024;

/** Tokens of a document: names, punctuation and values. */
const maxTokens = 2000;

/** Nesting of brackets. graphql-js parses recursively and would overflow the stack. */
const maxBrackets = 64;

/** Fields of a document; a fragment counts wherever it is spread. */
const maxFields = 1000;

/** Selections of the same response field. Validation compares each with every other. */
const maxRepetitions = 10;

/** Nesting of fields. */
const maxLevels = 10;

const opening: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const closing: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

/**
 * Checks the limits that apply before parsing.
 *
 * @throws GraphqlRequestError; GraphQLError for a text that the lexer rejects
 */
export function checkTextSize(text: string): void {
  if (Buffer.byteLength(text) > maxBytes) {
    throw requestError('query', 'maxBytes', `A document has at most ${maxBytes} bytes.`);
  }
  const lexer = new Lexer(new Source(text));
  let brackets = 0;
  for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    if (tokens >= maxTokens) {
      throw requestError('query', 'maxTokens', `A document has at most ${maxTokens} tokens.`);
    }
    const { kind } = lexer.token;
    if (opening.has(kind)) brackets += 1;
    else if (closing.has(kind)) brackets -= 1;
    if (brackets > maxBrackets) throw tooDeep();
  }
}

function tooDeep() {
  return requestError(
    'query',
    'maxDepth',
    `A document nests at most ${maxLevels} levels of fields.`,
  );
}

/**
 * Checks fields, levels and repetitions. A rule of graphql-js limits the levels of introspection.
 *
 * @param document without circular fragments
 */
function checkDocumentSize(document: DocumentNode): void {
  const counter = new FieldCounter(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    counter.add(definition.selectionSet, { level: 1, path: definition.name?.value ?? '' });
  }
}

interface SelectionPosition {
  readonly level: number;
  /** Response names, joined by dots. */
  readonly path: string;
}

class FieldCounter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #repetitions = new Map<string, number>();
  #fields = 0;

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
  }

  /** Counts selections and everything in them. */
  add({ selections }: SelectionSetNode, position: SelectionPosition): void {
    for (const selection of selections) {
      this.#fields += 1;
      if (this.#fields > maxFields) {
        throw requestError('query', 'maxFields', `A document has at most ${maxFields} fields.`);
      }
      if (selection.kind === Kind.FIELD) {
        this.#addField(selection, position);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.add(selection.selectionSet, position);
      } else {
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment) this.add(fragment.selectionSet, position);
      }
    }
  }

  #addField({ name, alias, selectionSet }: FieldNode, parent: SelectionPosition): void {
    const responseName = (alias ?? name).value;
    const path = `${parent.path}.${responseName}`;
    const times = (this.#repetitions.get(path) ?? 0) + 1;
    if (times > maxRepetitions) {
      const message = `A document selects ${path.slice(path.indexOf('.') + 1)} at most ${maxRepetitions} times; select it once.`;
      throw requestError('query', 'maxRepetitions', message);
    }
    this.#repetitions.set(path, times);
    if (parent.level > maxLevels) throw tooDeep();
    const isIntrospection = name.value.startsWith('__');
    const level = isIntrospection ? Number.NEGATIVE_INFINITY : parent.level + 1;
    if (selectionSet) this.add(selectionSet, { level, path });
  }
}

/** Returns the fragments of a document by name. */
export function fragmentsOf({
  definitions,
}: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return new Map(
    (fragments as FragmentDefinitionNode[]).map((fragment) => [fragment.name.value, fragment]),
  );
}

export type Variables = Readonly<Record<string, unknown>>;

export interface VariablesOptions {
  readonly schema: GraphQLSchema;
  /** Whether errors suggest no names of the schema. */
  readonly hideSuggestions: boolean;
}

/**
 * Coerces variables to the types that the operation declares, and fills in its defaults.
 *
 * @throws GraphqlRequestError naming the wrong fields, at most 20
 */
export function coerceVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Variables,
  options: VariablesOptions,
): Variables {
  const errors: LocatedServiceError[] = [];
  const values: Record<string, unknown> = {};
  for (const definition of variableDefinitions) {
    const name = definition.variable.name.value;
    const value = coerceVariable(definition, given, options, (message, path) => {
      const cause = typeViolation(message, path.join('.') || name);
      errors.push({ cause });
      // graphql-js would make an error with its stack for each further wrong field.
      if (errors.length === maxErrors) throwIfAny(errors);
    });
    if (value !== undefined) values[name] = value;
  }
  throwIfAny(errors);
  return values;
}

type Report = (message: string, path: readonly (string | number)[]) => void;

function coerceVariable(
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  given: Variables,
  { schema, hideSuggestions }: VariablesOptions,
  report: Report,
): unknown {
  const name = variable.name.value;
  // Validation ensures that the type exists.
  const type = typeFromAST(schema, typeNode as never);
  if (!isInputType(type)) throw new Error(`$${name} has no input type`);
  if (Object.hasOwn(given, name)) {
    return coerceInputValue(
      given[name],
      type,
      (path, _value, { message }) => report(message, path),
      hideSuggestions,
    );
  }
  if (defaultValue) return valueFromAST(defaultValue, type);
  if (isNonNullType(type)) report(`Variable "$${name}" was not provided.`, []);
  return undefined;
}
