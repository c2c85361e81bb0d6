import { UsageError } from '../errors.ts';

/**
 * A document that knows its variables and its result, as GraphQL Code Generator writes them. This
 * type fits its `TypedDocumentString` (`documentMode: 'string'`) and, where `print` is given to
 * `createGraphql`, its `TypedDocumentNode`.
 */
export interface TypedDocument<Result, Variables> {
  /** For the compiler alone: there is no such property. */
  __apiType?: (variables: Variables) => Result;
}

/** What `createGraphql` takes beside the client. */
export interface GraphqlOptions {
  /** Turns documents that are syntax trees into text: `print` of the package `graphql`. */
  print?: ((document: never) => string) | undefined;
}

/**
 * The text of a document.
 *
 * @throws UsageError for a syntax tree without `print`
 */
export function documentText(document: unknown, { print }: GraphqlOptions): string {
  const isTree = typeof document === 'object' && document !== null && 'definitions' in document;
  if (!isTree) return String(document);
  if (print) return print(document as never);
  throw new UsageError(
    'A syntax tree needs the option print: createGraphql(vault, { print }), from the package graphql',
  );
}
