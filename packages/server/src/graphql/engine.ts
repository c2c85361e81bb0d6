import {
  type ExecutionArgs,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  getOperationAST,
} from 'graphql';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Services } from '../domain/services.ts';
import { ServiceError } from '../generated/rules/errors.ts';
import { type LocatedError, requestError } from './errors.ts';
import {
  type Caller,
  type ExecutionContext,
  type IdempotencyKey,
  Loaders,
  type MutationReplayChecks,
  MutationRunner,
  ResultSize,
} from './execution-context.ts';
import { analyzeOperation, type OperationAnalysis, pointsOf } from './operation-analysis.ts';
import { coerceVariables, createDocumentParser, fragmentsOf, type Variables } from './parsing.ts';
import { createSchema, propertyResolver } from './schema.ts';

/** A GraphQL request (https://graphql.github.io/graphql-over-http/draft/). */
export interface GraphqlRequest {
  readonly query: string;
  /** null: the document has one operation. */
  readonly operationName: string | null;
  readonly variables: Variables;
}

/** A validated operation, ready to run. */
export interface PreparedOperation {
  readonly type: 'query' | 'mutation';
  /** Its name in the document; null when it has none. */
  readonly name: string | null;
  /** Selected fields of Query or Mutation. */
  readonly fields: readonly string[];
  /** Its cost. */
  readonly points: number;
  execute(key: IdempotencyKey | undefined): Promise<ExecutionResult>;
}

export interface ExecutionResult {
  readonly data: unknown;
  readonly errors: readonly LocatedError[];
  /** Whether an earlier request with the same Idempotency-Key had already run a mutation. */
  readonly replayed: boolean;
}

export interface Graphql {
  /**
   * Parses, validates and analyzes a request without running any of it.
   *
   * @throws GraphqlRequestError
   */
  prepare(request: GraphqlRequest, actor: Caller): PreparedOperation;
}

export interface GraphqlOptions {
  readonly services: Services;
  readonly idempotency: Idempotency;
  readonly replayChecks: MutationReplayChecks;
  /** Whether queries can read the schema. */
  readonly introspection: boolean;
}

export function createGraphql(options: GraphqlOptions): Graphql {
  const { introspection } = options;
  const schema = createSchema();
  const parseDocument = createDocumentParser({ schema, introspection });
  return {
    prepare({ query, operationName, variables: given }, actor) {
      const document = parseDocument(query);
      const operation = getOperationAST(document, operationName);
      if (!operation) {
        const message = 'operationName must name an operation of the document.';
        throw requestError('operationName', 'operation', message);
      }
      const hideSuggestions = !introspection;
      const variables = coerceVariables(operation, given, { schema, hideSuggestions });
      const fragments = fragmentsOf(document);
      const analysis = analyzeOperation({ schema, operation, actor, variables, fragments });
      return {
        type: operation.operation === 'mutation' ? 'mutation' : 'query',
        name: operation.name?.value ?? null,
        fields: [...analysis.rootFields],
        points: pointsOf(analysis.nodes, analysis.changes),
        execute(key) {
          const args = { schema, document, operationName, variableValues: given };
          return executeOperation(args, { ...options, actor, analysis, key });
        },
      };
    },
  };
}

interface ExecutionOptions extends GraphqlOptions {
  readonly actor: Caller;
  readonly analysis: OperationAnalysis;
  readonly key: IdempotencyKey | undefined;
}

async function executeOperation(
  operation: ExecutionArgs,
  { actor, services, idempotency, replayChecks, analysis, key }: ExecutionOptions,
): Promise<ExecutionResult> {
  const mutations = new MutationRunner(actor, { idempotency, replayChecks, key });
  const size = new ResultSize();
  const loaders = new Loaders(actor, services, size);
  const { args } = analysis;
  const contextValue: ExecutionContext = { actor, services, args, loaders, mutations, size };
  const fieldResolver = propertyResolver as GraphQLFieldResolver<unknown, unknown>;
  const { data, errors = [] } = await execute({ ...operation, contextValue, fieldResolver });
  const { replayed } = mutations;
  try {
    size.requireRoom();
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    return { data: null, errors: [{ cause }], replayed };
  }
  return { data: data ?? null, errors: errors.map(toLocatedError), replayed };
}

function toLocatedError(error: GraphQLError): LocatedError {
  return { path: error.path, locations: error.locations, cause: error.originalError ?? error };
}
