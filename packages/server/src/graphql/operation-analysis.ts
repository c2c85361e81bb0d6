import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  GraphQLID,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { contractOperation, type Operation, type OperationId } from '../contract/contract.ts';
import { createRequestValidator } from '../contract/validation.ts';
import { requireScopes } from '../domain/access.ts';
import type { Actor } from '../domain/actor.ts';
import { ServiceError, violation } from '../generated/rules/errors.ts';
import { writtenId } from '../generated/rules/ids.ts';
import {
  GraphqlRequestError,
  type LocatedServiceError,
  maxErrors,
  requestError,
  throwIfAny,
  typeViolation,
} from './errors.ts';
import type { Variables } from './parsing.ts';
import { Sizes } from './sizes.ts';

// Static analysis of an operation: its scopes, arguments, cost and largest result are known before it runs.

/** Validated arguments of a field. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Fields that the result of one operation can have. */
export const maxResultFields = 50_000;

/** Objects that one operation can load, independent of its budget. */
export const maxNodes = 500_000;

/**
 * Bytes of all arguments, a variable counted for each field that uses it: each use is validated. Validating as many
 * takes about 35 ms.
 */
const maxArgumentBytes = 1_000_000;

/** Objects for one point. */
const nodesPerPoint = 100;

/** Fields of an object that count as one object. Types have fewer fields; aliases can ask for more. */
const fieldsPerNode = 25;

/** Returns the points of an operation, at least 1. */
export function pointsOf(nodes: number, changes = 0): number {
  return Math.max(1, Math.ceil(nodes / nodesPerPoint), changes);
}

/** Returns how many objects an object with this number of selected fields counts as. */
export function nodesOf(fields: number): number {
  return Math.max(1, Math.ceil(fields / fieldsPerNode));
}

/** The result of the analysis. */
export interface OperationAnalysis {
  /** Objects that the operation can load. */
  readonly nodes: number;
  /** Mutations that it makes. */
  readonly changes: number;
  /** Validated arguments, with the contract's defaults, by field. */
  readonly args: ReadonlyMap<FieldNode, Arguments>;
  /** Selected fields of Query or Mutation. */
  readonly rootFields: ReadonlySet<string>;
}

export interface AnalyzedOperation extends SelectionScope {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly actor: Actor;
}

/**
 * Checks the whole operation against the contract before any of it runs, so that no change is made whose
 * result is then rejected.
 *
 * @throws GraphqlRequestError INSUFFICIENT_PERMISSIONS naming the fields without their scopes, or
 * VALIDATION_ERROR naming the invalid arguments or the exceeded limit; at most 20 fields
 */
export function analyzeOperation(analyzed: AnalyzedOperation): OperationAnalysis {
  const { schema, operation } = analyzed;
  const root = schema.getRootType(operation.operation);
  if (!root) {
    throw requestError('query', 'operation', `The schema has no ${operation.operation}.`);
  }
  const walk = new OperationWalk(analyzed);
  try {
    walk.object(root, [operation.selectionSet], { times: 1, pageSize: 1, path: [] });
  } catch (error) {
    throw error instanceof GraphQLError ? missingValue(error) : error;
  }
  throwIfAny(walk.forbidden);
  throwIfAny(walk.invalid);
  requireAtMost(walk.nodes, maxNodes, { constraint: 'maxNodes', noun: 'objects' });
  requireAtMost(walk.resultFields, maxResultFields, {
    constraint: 'maxResultFields',
    noun: 'fields',
  });
  return walk;
}

function requireAtMost(
  count: number,
  max: number,
  { constraint, noun }: { readonly constraint: string; readonly noun: string },
): void {
  if (count <= max) return;
  const message = `The operation can return ${count} ${noun}; the limit is ${max}. Request smaller pages or fewer fields.`;
  throw requestError('query', constraint, message);
}

/** Converts the error for a null where a value is required; the default of a variable allows it. */
function missingValue({ message, locations }: GraphQLError): GraphqlRequestError {
  const [, argument = 'variables'] = /^Argument "(\w+)"/.exec(message) ?? [];
  return new GraphqlRequestError([{ cause: typeViolation(message, argument), locations }]);
}

interface Position {
  /** How many such objects the result can have. */
  readonly times: number;
  /** Items of a list directly in this object. */
  readonly pageSize: number;
  /** Response names, without positions in lists. */
  readonly path: readonly string[];
}

interface FieldAtPosition {
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  readonly path: readonly string[];
}

class OperationWalk implements OperationAnalysis {
  nodes = 0;
  resultFields = 0;
  changes = 0;
  readonly args = new Map<FieldNode, Arguments>();
  readonly rootFields = new Set<string>();
  readonly forbidden: LocatedServiceError[] = [];
  readonly invalid: LocatedServiceError[] = [];
  readonly #analyzed: AnalyzedOperation;
  /** Bytes of the arguments so far. */
  #argumentBytes = 0;
  readonly #sizes = new Sizes(maxArgumentBytes);

  constructor(analyzed: AnalyzedOperation) {
    this.#analyzed = analyzed;
  }

  object(type: GraphQLObjectType, sets: readonly SelectionSetNode[], position: Position): void {
    const fields = collectFields(sets, this.#analyzed);
    this.resultFields += position.times * fields.size;
    this.nodes += position.times * (nodesOf(fields.size) - 1);
    for (const [name, nodes] of fields) {
      const [node] = nodes;
      const field = node && this.#fieldOf(type, node);
      if (!field) continue;
      const path = [...position.path, name];
      if (path.length === 1) this.rootFields.add(field.name);
      const inner = this.#enter(type, { field, node, path }, position);
      const object = getNamedType(field.type);
      if (!isObjectType(object)) continue;
      const innerSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      this.object(object, innerSets, { ...inner, path });
    }
  }

  /** Counts a field, and returns the number of objects in it. */
  #enter(
    type: GraphQLObjectType,
    at: FieldAtPosition,
    { times, pageSize }: Position,
  ): Omit<Position, 'path'> {
    const operation = fieldOperations.get(`${type.name}.${at.field.name}`);
    if (operation) {
      if (type.name === 'Mutation') this.changes += 1;
      const items = this.#validate(operation, at);
      this.nodes += times * items;
      return { times, pageSize: items };
    }
    if (!isListType(getNullableType(at.field.type))) return { times, pageSize: 1 };
    if (!type.name.startsWith('__')) return { times: times * pageSize, pageSize: 1 };
    const items = times * this.#schemaItems(at.field.name);
    this.nodes += items;
    return { times: items, pageSize: 1 };
  }

  /** Checks scopes and arguments of a field, and returns its page size. */
  #validate(operation: FieldOperation, { field, node, path }: FieldAtPosition): number {
    const located = (cause: ServiceError): LocatedServiceError => {
      const start = node.loc?.startToken;
      return {
        cause,
        path,
        ...(start && { locations: [{ line: start.line, column: start.column }] }),
      };
    };
    try {
      requireScopes(this.#analyzed.actor, operation);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (this.forbidden.length < maxErrors) this.forbidden.push(located(error));
    }
    if (this.invalid.length === maxErrors || this.#argumentBytes > maxArgumentBytes) return 1;
    try {
      const args = this.args.get(node) ?? operation.validate(this.#argumentsOf(field, node));
      this.args.set(node, args);
      return Number(args.pageSize ?? 1);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.invalid.push(located(error));
      return 1;
    }
  }

  /** @throws ServiceError VALIDATION_ERROR for a long text, or when the arguments exceed their limit together */
  #argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Arguments {
    const given = getArgumentValues(field, node, this.#analyzed.variables);
    requireShortTexts(given);
    for (const value of Object.values(given)) this.#argumentBytes += this.#sizes.of(value);
    if (this.#argumentBytes <= maxArgumentBytes) return withWrittenIds(field, given);
    const message = `The arguments of an operation have at most ${maxArgumentBytes} bytes. A variable counts for each field that uses it.`;
    throw violation('query', 'maxArgumentBytes', message);
  }

  /** Estimates the items of a list in an introspection query. */
  #schemaItems(field: string): number {
    switch (field) {
      case 'types':
        return Object.keys(this.#analyzed.schema.getTypeMap()).length;
      case 'fields':
      case 'inputFields':
      case 'enumValues':
      case 'directives':
        return 5;
      default:
        return 1;
    }
  }

  #fieldOf(type: GraphQLObjectType, { name: { value } }: FieldNode) {
    if (value === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (value === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    return type.getFields()[value];
  }
}

/**
 * Characters of an argument that is a text. Error messages repeat ids, and a field can have one text in many
 * arguments. No parameter of the contract is as long.
 */
const maxTextLength = 4096;

/** @throws ServiceError VALIDATION_ERROR */
function requireShortTexts(given: Arguments): void {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string' || value.length <= maxTextLength) continue;
    const message = `${name} is too long: no argument has more than ${maxTextLength} characters.`;
    throw violation(name, 'maxLength', message);
  }
}

/** Returns the arguments with UUIDs in lower case. */
function withWrittenIds({ args }: GraphQLField<unknown, unknown>, given: Arguments): Arguments {
  const written = { ...given };
  for (const { name, type } of args) {
    const id = given[name];
    if (getNamedType(type) === GraphQLID && typeof id === 'string') written[name] = writtenId(id);
  }
  return written;
}

/** The operation of the contract whose scopes and validators a field uses. */
const operationOfField: Readonly<Record<string, OperationId>> = {
  'Query.me': 'getCurrentUser',
  'Query.vaults': 'listVaults',
  'Query.vault': 'getVault',
  'Query.documents': 'listDocuments',
  'Query.document': 'getDocument',
  'Query.instances': 'listInstances',
  'Query.consents': 'listConsents',
  'Query.webhooks': 'listWebhooks',
  'Query.webhook': 'getWebhook',
  'Mutation.createVault': 'createVault',
  'Mutation.updateVault': 'updateVault',
  'Mutation.deleteVault': 'deleteVault',
  'Mutation.updateDocument': 'updateDocument',
  'Mutation.shareDocument': 'shareDocument',
  'Mutation.createConsent': 'createConsent',
  'Mutation.updateConsent': 'updateConsent',
  'Mutation.createWebhook': 'createWebhook',
  'Mutation.updateWebhook': 'updateWebhook',
  'Mutation.deleteWebhook': 'deleteWebhook',
  'Mutation.retryDelivery': 'retryDelivery',
  'Vault.documents': 'listDocuments',
  'Document.vault': 'getVault',
  'Document.shares': 'listDocumentShares',
  'Webhook.deliveries': 'listDeliveries',
};

interface FieldOperation extends Pick<Operation, 'schemes'> {
  /**
   * Returns validated arguments with the contract's defaults.
   *
   * @throws ServiceError VALIDATION_ERROR
   */
  validate(args: Arguments): Arguments;
}

/** By type and field, for example `Query.vaults`. Other fields read a property of their parent. */
export const fieldOperations: ReadonlyMap<string, FieldOperation> = new Map(
  Object.entries(operationOfField).map(([field, id]) => [
    field,
    toFieldOperation(contractOperation(id)),
  ]),
);

function toFieldOperation(operation: Operation): FieldOperation {
  const validator = createRequestValidator(operation);
  const takesQuery = operation.parameters.some((parameter) => parameter.in === 'query');
  return {
    schemes: operation.schemes,
    validate(args) {
      const given = withoutNulls(args);
      return {
        ...given,
        ...(takesQuery && validator.query(given)),
        ...(operation.body !== 'none' && { input: validator.body(args.input ?? {}) }),
      };
    },
  };
}

/** Arguments are path and query parameters, which cannot be null: null counts as absent. */
function withoutNulls(args: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

export interface SelectionScope {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Variables;
}

/**
 * Collects the selected fields of one object by response name, as execution does: with the fields of
 * fragments, without skipped ones. The schema has no interfaces or unions, so every fragment has the type
 * of the object.
 */
export function collectFields(
  selectionSets: readonly SelectionSetNode[],
  scope: SelectionScope,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (!isIncluded(selection, scope.variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value;
        fields.set(name, [...(fields.get(name) ?? []), selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else {
        const fragment = scope.fragments.get(selection.name.value);
        if (!fragment || visited.has(selection.name.value)) continue;
        visited.add(selection.name.value);
        collect(fragment.selectionSet);
      }
    }
  }

  for (const selectionSet of selectionSets) collect(selectionSet);
  return fields;
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variables);
  return skip?.if !== true && include?.if !== false;
}
