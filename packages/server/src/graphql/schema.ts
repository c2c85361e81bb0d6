import {
  buildSchema,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isScalarType,
  valueFromASTUntyped,
} from 'graphql';
import generated from '../generated/schema.json' with { type: 'json' };
import type { ExecutionContext } from './execution-context.ts';
import { type Arguments, fieldOperations } from './operation-analysis.ts';
import { type Resolver, resolvers } from './resolvers.ts';

/**
 * Creates the schema of `openapi/schema.graphql` with its resolvers.
 *
 * @throws Error when a resolver has no field, or a field with an operation has no resolver
 */
export function createSchema(): GraphQLSchema {
  const schema = buildSchema(generated.sdl);
  for (const [name, coercion] of Object.entries(scalars)) {
    const scalar = schema.getType(name);
    if (!isScalarType(scalar)) throw new Error(`the schema has no scalar ${name}`);
    Object.assign(scalar, coercion);
  }
  for (const [type, fields] of Object.entries(resolvers)) {
    for (const [name, resolver] of Object.entries(fields)) {
      const resolve = type === 'Mutation' ? mutationResolver(resolver) : fieldResolver(resolver);
      fieldOf(schema, type, name).resolve = resolve;
    }
  }
  for (const field of fieldOperations.keys()) {
    const [type = '', name = ''] = field.split('.');
    if (!fieldOf(schema, type, name).resolve) throw new Error(`${field} has no resolver`);
  }
  return schema;
}

function fieldOf(
  schema: GraphQLSchema,
  type: string,
  name: string,
): GraphQLField<unknown, ExecutionContext> {
  const object = schema.getType(type);
  const field = isObjectType(object) ? object.getFields()[name] : undefined;
  if (!field) throw new Error(`the schema has no field ${type}.${name}`);
  return field;
}

type AnyResolver = (parent: unknown, args: Arguments, context: ExecutionContext) => unknown;

/** Calls the resolver with the arguments that the analysis validated. */
function fieldResolver(resolver: Resolver): GraphQLFieldResolver<unknown, ExecutionContext> {
  const resolve = resolver as AnyResolver;
  return (parent, args, context, info) => {
    const [node] = info.fieldNodes;
    const validated = node && context.args.get(node);
    return measured(resolve(parent, validated ?? args, context), context, info);
  };
}

/** The resolver of fields without one: returns the property of the same name. */
export const propertyResolver: GraphQLFieldResolver<unknown, ExecutionContext> = (
  parent,
  _,
  context,
  info,
) => measured((parent as Record<string, unknown>)[info.fieldName], context, info);

function measured(
  value: unknown,
  { size }: ExecutionContext,
  { path, returnType }: Pick<GraphQLResolveInfo, 'path' | 'returnType'>,
): unknown {
  size.addName(path.key);
  if (returnsLeaf(returnType)) size.addValue(value);
  return value;
}

/** Whether values of a type have no fields. A page of 20 vaults asks for more than 200 fields. */
const leaves = new WeakMap<GraphQLOutputType, boolean>();

function returnsLeaf(type: GraphQLOutputType): boolean {
  const known = leaves.get(type);
  if (known !== undefined) return known;
  const isLeaf = isLeafType(getNamedType(type));
  leaves.set(type, isLeaf);
  return isLeaf;
}

/** Runs the resolver at most once per Idempotency-Key. A deletion returns the id of the deleted object. */
function mutationResolver(resolver: Resolver): GraphQLFieldResolver<unknown, ExecutionContext> {
  const resolve = fieldResolver(resolver);
  return async (parent, args, context, info) => {
    context.size.requireRoom();
    const result = await context.mutations.run(info.fieldName, async (actor) =>
      resolve(parent, args, { ...context, actor }, info),
    );
    context.loaders.clear();
    return result ?? args.id;
  };
}

type Coercion = Pick<GraphQLScalarType, 'serialize' | 'parseValue' | 'parseLiteral'>;

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('DateTime cannot represent a value that is not a string.');
}

function safeInteger(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new GraphQLError('SafeInt cannot represent a value that is not a safe integer.');
}

const unchanged = (value: unknown) => value;

function literal(parse: (value: unknown) => unknown): GraphQLScalarType['parseLiteral'] {
  return (node, variables) => parse(valueFromASTUntyped(node, variables));
}

/** The custom scalars. The contract validates the format of a DateTime. */
const scalars: Readonly<Record<string, Coercion>> = {
  DateTime: { serialize: unchanged, parseValue: text, parseLiteral: literal(text) },
  SafeInt: { serialize: safeInteger, parseValue: safeInteger, parseLiteral: literal(safeInteger) },
  JSON: { serialize: unchanged, parseValue: unchanged, parseLiteral: literal(unchanged) },
};
