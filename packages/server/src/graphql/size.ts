import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import { refusal } from './refusal.ts';

/** Words, names, signs and values of a document: more than any screen of an application asks for. */
const mostTokens = 2000;

/** Brackets within brackets; more could not be read without end. */
const mostBrackets = 64;

/** Fields of a document, those of a fragment wherever it is spread. */
const mostFields = 1000;

/** How often one place of the answer is asked for: each time is compared with every other. */
const mostRepetitions = 10;

/** Fields within fields. */
export const mostLevels = 10;

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
 * Refuses a text that would take long to read, before it is read.
 * @throws GraphqlRefusal, and GraphQLError for what is no GraphQL at all
 */
export function refuseLongText(text: string): void {
  const lexer = new Lexer(new Source(text));
  let brackets = 0;
  for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    if (tokens >= mostTokens) {
      throw refusal('query', 'maxTokens', `A document has at most ${mostTokens} tokens.`);
    }
    const { kind } = lexer.token;
    if (opening.has(kind)) brackets += 1;
    else if (closing.has(kind)) brackets -= 1;
    if (brackets > mostBrackets) throw tooDeep();
  }
}

function tooOften(place: string) {
  const field = place.slice(place.indexOf('.') + 1);
  const message = `A document asks for ${field} at most ${mostRepetitions} times; name it once.`;
  return refusal('query', 'maxRepetitions', message);
}

function tooDeep() {
  return refusal('query', 'maxDepth', `A document nests at most ${mostLevels} levels of fields.`);
}

/**
 * Refuses a document of too many fields or levels. What tells the schema is bounded in levels by a
 * rule of its own.
 * @param document without circular fragments
 */
export function refuseLargeDocument(document: DocumentNode): void {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
  let count = 0;
  const repetitions = new Map<string, number>();

  function enter(place: string): void {
    const times = (repetitions.get(place) ?? 0) + 1;
    if (times > mostRepetitions) throw tooOften(place);
    repetitions.set(place, times);
  }

  function walk({ selections }: SelectionSetNode, level: number, parent: string): void {
    for (const selection of selections) {
      count += 1;
      if (count > mostFields) {
        throw refusal('query', 'maxFields', `A document has at most ${mostFields} fields.`);
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment) walk(fragment.selectionSet, level, parent);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, level, parent);
      } else {
        const { name, alias } = selection;
        const place = `${parent}.${(alias ?? name).value}`;
        enter(place);
        const tellsSchema = name.value.startsWith('__');
        if (level > mostLevels) throw tooDeep();
        if (selection.selectionSet) {
          const next = tellsSchema ? Number.NEGATIVE_INFINITY : level + 1;
          walk(selection.selectionSet, next, place);
        }
      }
    }
  }

  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    walk(definition.selectionSet, 1, definition.name?.value ?? '');
  }
}
