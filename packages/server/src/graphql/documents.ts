import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { violation } from '../errors.ts';
import { GraphqlRefusal, type RefusedPart, refuse, typeViolation } from './refusal.ts';
import { refuseLargeDocument, refuseLongText } from './size.ts';
import { wordsOf } from './wording.ts';

/** An answer names no more mistakes than these. */
const mostMistakes = 20;

/** Characters of the documents that are remembered: read, a document takes a hundred times as much memory. */
const mostRemembered = 200_000;
const longestRemembered = mostRemembered / 10;

export interface DocumentReaderOptions {
  readonly schema: GraphQLSchema;
  /** Whether documents may ask for the schema; without, mistakes are told without naming what was meant. */
  readonly introspection: boolean;
}

/** Reads documents, and remembers those without mistakes, which would take far more memory than the texts. */
export type DocumentReader = (text: string) => DocumentNode;

/**
 * @returns a function that answers the document a text stands for, valid and of a size that can be dealt with
 * @throws GraphqlRefusal from that function
 */
export function createDocumentReader(options: DocumentReaderOptions): DocumentReader {
  const known = new Map<string, DocumentNode>();
  let characters = 0;

  function forget(text: string): void {
    if (known.delete(text)) characters -= text.length;
  }

  return (text) => {
    const document = known.get(text) ?? readDocument(text, options);
    // What was asked for last stands last.
    forget(text);
    if (text.length <= longestRemembered) {
      known.set(text, document);
      characters += text.length;
    }
    for (const oldest of known.keys()) {
      if (characters <= mostRemembered) break;
      forget(oldest);
    }
    return document;
  };
}

/** Compares fields with fields, which takes time by the square of their number: it comes last. */
const comparison = OverlappingFieldsCanBeMergedRule;
const otherRules = specifiedRules.filter((rule) => rule !== comparison);

function readDocument(text: string, { schema, introspection }: DocumentReaderOptions) {
  const document = parseText(text);
  const check = (rules: readonly ValidationRule[]) => {
    const options = { maxErrors: mostMistakes, hideSuggestions: !introspection };
    refuse(validate(schema, document, rules, options).map(toMistake));
  };
  check(introspection ? otherRules : [...otherRules, NoSchemaIntrospectionCustomRule]);
  refuseLargeDocument(document);
  check([comparison]);
  return document;
}

function parseText(text: string): DocumentNode {
  try {
    refuseLongText(text);
    return parse(text);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const cause = violation('query', 'syntax', wordsOf(error.message));
    throw new GraphqlRefusal([{ cause, locations: error.locations }]);
  }
}

function toMistake({ message, locations }: GraphQLError): RefusedPart {
  return { cause: typeViolation(message, 'query'), locations };
}
