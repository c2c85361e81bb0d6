import { GraphQLError, type GraphQLScalarType, valueFromASTUntyped } from 'graphql';

type Behaviour = Pick<GraphQLScalarType, 'serialize' | 'parseValue' | 'parseLiteral'>;

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('DateTime cannot represent a value that is not a string.');
}

function safeInteger(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new GraphQLError('SafeInt cannot represent a value that is not a safe integer.');
}

const asItIs = (value: unknown) => value;

function read(parse: (value: unknown) => unknown): GraphQLScalarType['parseLiteral'] {
  return (node, variables) => parse(valueFromASTUntyped(node, variables));
}

/** How values of the schema's own scalars are read and written. Whether a DateTime is one, the contract says. */
export const scalars: Readonly<Record<string, Behaviour>> = {
  DateTime: { serialize: asItIs, parseValue: text, parseLiteral: read(text) },
  SafeInt: { serialize: safeInteger, parseValue: safeInteger, parseLiteral: read(safeInteger) },
  JSON: { serialize: asItIs, parseValue: asItIs, parseLiteral: read(asItIs) },
};
