import {
  buildSchema,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isScalarType,
} from 'graphql';
import generated from '../generated/schema.json' with { type: 'json' };
import type { Arguments, Call, Resolver } from './call.ts';
import { fieldOperations } from './field-operations.ts';
import { resolvers } from './resolvers/index.ts';
import { scalars } from './scalars.ts';

/**
 * The schema of `openapi/schema.graphql` with what answers its fields.
 * @throws Error when a resolver has no field, or a field with an operation no resolver
 */
export function createSchema(): GraphQLSchema {
  const schema = buildSchema(generated.sdl);
  for (const [name, behaviour] of Object.entries(scalars)) {
    const scalar = schema.getType(name);
    if (!isScalarType(scalar)) throw new Error(`the schema has no scalar ${name}`);
    Object.assign(scalar, behaviour);
  }
  for (const [type, fields] of Object.entries(resolvers)) {
    for (const [name, resolver] of Object.entries(fields)) {
      const resolve = type === 'Mutation' ? resolveChange(resolver) : resolveApproved(resolver);
      fieldOf(schema, type, name).resolve = resolve;
    }
  }
  for (const field of fieldOperations.keys()) {
    const [type = '', name = ''] = field.split('.');
    if (!fieldOf(schema, type, name).resolve) throw new Error(`${field} has no resolver`);
  }
  return schema;
}

function fieldOf(schema: GraphQLSchema, type: string, name: string): GraphQLField<unknown, Call> {
  const object = schema.getType(type);
  const field = isObjectType(object) ? object.getFields()[name] : undefined;
  if (!field) throw new Error(`the schema has no field ${type}.${name}`);
  return field;
}

type Place = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path' | 'returnType'>;
type Answering = (parent: unknown, args: Arguments, call: Call) => unknown;

/** Calls the resolver with the arguments that were approved before anything ran. */
function resolveApproved(resolver: Resolver): GraphQLFieldResolver<unknown, Call> {
  const answer = resolver as Answering;
  return (parent, args, call, info) => {
    const [node] = info.fieldNodes;
    const approved = node && call.approved.get(node);
    const value = answer(parent, approved ?? args, call);
    return measured(approved ? inTurn(value, call, info) : value, call, info);
  };
}

/** What was loaded for many parents at once is answered for a few of them at a time. */
async function inTurn(value: unknown, call: Call, info: Place): Promise<unknown> {
  const loaded = await value;
  await call.pace.turnOf(widthOf(info, call));
  return loaded;
}

/** The fields that are answered together at a place. */
function widthOf({ fieldNodes: [node] }: Place, { widths }: Pick<Call, 'widths'>): number {
  return (node && widths.get(node)) ?? 1;
}

/** A field without a resolver is the property of its name. */
export const resolveProperty: GraphQLFieldResolver<unknown, Call> = (parent, _, call, info) => {
  const value = measured((parent as Record<string, unknown>)[info.fieldName], call, info);
  const isListOfObjects = Array.isArray(value) && isObjectType(getNamedType(info.returnType));
  return isListOfObjects ? itemsInTurn(value, call, info) : value;
};

/** The items of a list, each when it is its turn. */
function itemsInTurn(items: unknown[], { pace, size, widths }: Call, info: Place) {
  const fields = widthOf(info, { widths });
  size.addFields(items.length * fields);
  size.requireRoom();
  return pace.spread(items, fields);
}

function measured(value: unknown, { size }: Call, { path, returnType }: Place): unknown {
  size.addName(path.key);
  if (isLeafType(getNamedType(returnType))) size.addValue(value);
  return value;
}

/** A change is made once; one without a result answers the id of what it has changed. */
function resolveChange(resolver: Resolver): GraphQLFieldResolver<unknown, Call> {
  const answer = resolveApproved(resolver);
  return async (parent, args, call, info) => {
    call.size.requireRoom();
    const result = await call.changes.make(async (actor) =>
      answer(parent, args, { ...call, actor }, info),
    );
    call.loaders.clear();
    return result ?? args.id;
  };
}
