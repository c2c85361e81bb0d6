import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  GraphQLID,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { hasScope } from '../domain/access.ts';
import type { Actor } from '../domain/actor.ts';
import type { Scope } from '../domain/shapes.ts';
import { ServiceError, violation } from '../errors.ts';
import type { Arguments } from './call.ts';
import { itemsOfSchemaList, nodesOf } from './cost.ts';
import { type FieldOperation, fieldOperations } from './field-operations.ts';
import { GraphqlRefusal, type RefusedPart, refusal, refuse, typeViolation } from './refusal.ts';
import { collectFields, type SelectionScope } from './selection.ts';

/** What is known of an operation before it runs. */
export interface Judgement {
  /** The objects that it may answer at most. */
  readonly nodes: number;
  /** The changes that it makes. */
  readonly changes: number;
  /** The arguments as the contract has approved them. */
  readonly approved: ReadonlyMap<FieldNode, Arguments>;
  /**
   * How many fields are answered together: of one item, by the field of a list, and of what is loaded, by
   * a field that loads.
   */
  readonly widths: ReadonlyMap<FieldNode, number>;
  /** The fields of Query or Mutation that it asks for. */
  readonly rootFields: ReadonlySet<string>;
}

export interface JudgedOperation extends SelectionScope {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly actor: Actor;
}

/**
 * Holds everything that an operation asks for against the contract before anything of it is done: a
 * change is not made whose answer could not be given.
 * @throws GraphqlRefusal INSUFFICIENT_PERMISSIONS naming every field without its scope, or
 * VALIDATION_ERROR naming every argument that the contract does not allow
 */
export function judge(judged: JudgedOperation): Judgement {
  const { schema, operation } = judged;
  const root = schema.getRootType(operation.operation);
  if (!root) {
    throw refusal('query', 'operation', `There is no ${operation.operation} in this schema.`);
  }
  const walk = new Walk(judged);
  try {
    walk.object(root, [operation.selectionSet], { times: 1, path: [] });
  } catch (error) {
    throw error instanceof GraphQLError ? missingValue(error) : error;
  }
  refuse(walk.forbidden);
  refuse(walk.invalid);
  return walk;
}

/** A variable with a default is null, where there has to be a value: a valid document leaves room for that. */
function missingValue({ message, locations }: GraphQLError): GraphqlRefusal {
  const [, argument = 'variables'] = /^Argument "(\w+)"/.exec(message) ?? [];
  return new GraphqlRefusal([{ cause: typeViolation(message, argument), locations }]);
}

interface Place {
  /** How many such objects there may be. */
  readonly times: number;
  /** The names that lead there, without positions in lists. */
  readonly path: readonly string[];
}

class Walk implements Judgement {
  nodes = 0;
  changes = 0;
  readonly approved = new Map<FieldNode, Arguments>();
  readonly widths = new Map<FieldNode, number>();
  readonly rootFields = new Set<string>();
  readonly forbidden: RefusedPart[] = [];
  readonly invalid: RefusedPart[] = [];
  readonly #judged: JudgedOperation;

  constructor(judged: JudgedOperation) {
    this.#judged = judged;
  }

  /** Judges an object; answers how many fields are answered together with it. */
  object(type: GraphQLObjectType, sets: readonly SelectionSetNode[], place: Place): number {
    const fields = collectFields(sets, this.#judged);
    this.nodes += place.times * (nodesOf(fields.size) - 1);
    let together = fields.size;
    for (const [name, nodes] of fields) {
      const [node] = nodes;
      const field = node && this.#fieldOf(type, node);
      if (!field) continue;
      const path = [...place.path, name];
      if (path.length === 1) this.rootFields.add(field.name);
      const times = this.#enter(type, field, node, { ...place, path });
      const answered = getNamedType(field.type);
      if (!isObjectType(answered)) continue;
      const inner = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      const width = this.object(answered, inner, { times, path });
      if (this.approved.has(node) || isListType(getNullableType(field.type))) {
        this.widths.set(node, Math.max(width, this.widths.get(node) ?? 0));
      } else {
        together += width;
      }
    }
    return together;
  }

  /** Judges a field itself; answers how many objects there may be in it. */
  #enter(
    type: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    node: FieldNode,
    { times, path }: Place,
  ): number {
    const operation = fieldOperations.get(`${type.name}.${field.name}`);
    if (operation) {
      if (type.name === 'Mutation') this.changes += 1;
      const inside = times * this.#approve(operation, { field, node, path });
      this.nodes += inside;
      return inside;
    }
    const items = type.name.startsWith('__') ? this.#schemaItems(field) : undefined;
    if (items !== undefined) this.nodes += times * items;
    return times * (items ?? 1);
  }

  /** Answers how many objects one such field may have. */
  #approve(operation: FieldOperation, { field, node, path }: FieldAtPlace): number {
    const { actor, variables } = this.#judged;
    const failed = (cause: ServiceError): RefusedPart => {
      const start = node.loc?.startToken;
      return {
        cause,
        path,
        ...(start && { locations: [{ line: start.line, column: start.column }] }),
      };
    };
    const missing = operation.scopesFor(actor).filter((scope) => !hasScope(actor, scope as Scope));
    if (missing.length > 0) {
      const details = { requiredScopes: missing };
      this.forbidden.push(failed(new ServiceError('INSUFFICIENT_PERMISSIONS', { details })));
    }
    try {
      const args = getArgumentValues(field, node, variables);
      refuseLongIds(field, args);
      const approved = operation.approve(args);
      this.approved.set(node, approved);
      return Number(approved.pageSize ?? 1);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.invalid.push(failed(error));
      return 1;
    }
  }

  /** The items of a list that tells the schema; undefined for what is no list. */
  #schemaItems({ name, type }: GraphQLField<unknown, unknown>): number | undefined {
    if (!isListType(getNullableType(type))) return undefined;
    return itemsOfSchemaList(name, Object.keys(this.#judged.schema.getTypeMap()).length);
  }

  #fieldOf(type: GraphQLObjectType, { name: { value } }: FieldNode) {
    if (value === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (value === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    return type.getFields()[value];
  }
}

/** Characters of an id: more than any has, and few enough to be said again in every error about it. */
const longestId = 4096;

function refuseLongIds({ args }: GraphQLField<unknown, unknown>, given: Arguments): void {
  for (const { name, type } of args) {
    if (getNamedType(type) !== GraphQLID || String(given[name] ?? '').length <= longestId) continue;
    throw violation(name, 'maxLength', `${name} must have at most ${longestId} characters.`);
  }
}

interface FieldAtPlace {
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  readonly path: readonly string[];
}
