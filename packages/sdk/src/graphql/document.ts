import { type ASTNode, print } from 'graphql';

/**
 * A document that knows its variables and its result, as GraphQL Code Generator writes them. This
 * type fits its `TypedDocumentString` (`documentMode: 'string'`) and its `TypedDocumentNode`.
 */
export interface TypedDocument<Result, Variables> {
  /** For the compiler alone: there is no such property. */
  __apiType?: (variables: Variables) => Result;
}

/** The text of a document: of a string, an object that is one, or a syntax tree. */
export function documentText(document: unknown): string {
  const isTree = typeof document === 'object' && document !== null && 'definitions' in document;
  return isTree ? print(document as unknown as ASTNode) : String(document);
}
