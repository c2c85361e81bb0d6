import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import { refusal } from './refusal.ts';

/** Bytes of a document. The lexer also passes commas, white space and comments, which are no tokens. */
const maxBytes = 64 * 1024;

/** Words, names, signs and values of a document: more than any screen of an application asks for. */
const mostTokens = 2000;

/** Brackets within brackets; more could not be read without end. */
const mostBrackets = 64;

/** Fields of a document, those of a fragment wherever it is spread. */
const mostFields = 1000;

/** How often one place of the answer is asked for: each time is compared with every other. */
const mostRepetitions = 10;

/** Fields within fields. */
const mostLevels = 10;

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
  if (Buffer.byteLength(text) > maxBytes) {
    throw refusal('query', 'maxBytes', `A document has at most ${maxBytes} bytes.`);
  }
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
  const measure = new Measure(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    measure.add(definition.selectionSet, { level: 1, name: definition.name?.value ?? '' });
  }
}

/** Where selections stand in the answer. */
interface Place {
  readonly level: number;
  /** The names that lead there. */
  readonly name: string;
}

class Measure {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #repetitions = new Map<string, number>();
  #fields = 0;

  constructor({ definitions }: DocumentNode) {
    for (const definition of definitions) {
      if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
      this.#fragments.set(definition.name.value, definition);
    }
  }

  /** Counts selections with everything in them, fragments wherever they are spread. */
  add({ selections }: SelectionSetNode, place: Place): void {
    for (const selection of selections) {
      this.#fields += 1;
      if (this.#fields > mostFields) {
        throw refusal('query', 'maxFields', `A document has at most ${mostFields} fields.`);
      }
      if (selection.kind === Kind.FIELD) {
        this.#addField(selection, place);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.add(selection.selectionSet, place);
      } else {
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment) this.add(fragment.selectionSet, place);
      }
    }
  }

  #addField({ name, alias, selectionSet }: FieldNode, parent: Place): void {
    const place = `${parent.name}.${(alias ?? name).value}`;
    const times = (this.#repetitions.get(place) ?? 0) + 1;
    if (times > mostRepetitions) throw tooOften(place);
    this.#repetitions.set(place, times);
    if (parent.level > mostLevels) throw tooDeep();
    const tellsSchema = name.value.startsWith('__');
    const level = tellsSchema ? Number.NEGATIVE_INFINITY : parent.level + 1;
    if (selectionSet) this.add(selectionSet, { level, name: place });
  }
}
