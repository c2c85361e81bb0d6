import {
  type DocumentNode,
  type ExecutionArgs,
  execute,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLFieldResolver,
  getOperationAST,
  Kind,
} from 'graphql';
import type { Idempotency } from '../domain/idempotency.ts';
import { AnswerSize } from './answer-size.ts';
import type { Call } from './call.ts';
import { Changes, type IdempotencyKey } from './changes.ts';
import { mostNodes, pointsOf } from './cost.ts';
import { createDocumentReader } from './documents.ts';
import { type Judgement, judge } from './judgement.ts';
import { Loaders } from './loaders.ts';
import { Pace } from './pace.ts';
import { type Failure, refusal } from './refusal.ts';
import { createSchema, resolveProperty } from './schema.ts';
import type { Caller, GraphqlServices } from './services.ts';
import { readVariables, type Variables } from './variables.ts';

/** A GraphQL request (https://graphql.github.io/graphql-over-http/draft/). */
export interface GraphqlRequest {
  readonly query: string;
  /** null: the document has one operation. */
  readonly operationName: string | null;
  readonly variables: Variables;
}

/** An operation that may run. */
export interface Approved {
  readonly type: 'query' | 'mutation';
  /** Its name in the document; null when it has none. */
  readonly name: string | null;
  /** The fields of Query or Mutation that it asks for. */
  readonly fields: readonly string[];
  /** What it costs. */
  readonly points: number;
  /** Runs it. */
  run(key: IdempotencyKey | undefined): Promise<Outcome>;
}

export interface Outcome {
  readonly data: unknown;
  /** Whether the data are much: they were made in several turns of the event loop. */
  readonly isLong: boolean;
  readonly failures: readonly Failure[];
  /** Whether a change was not made, because an earlier request with the same key had made it. */
  readonly replayed: boolean;
}

export interface Graphql {
  /**
   * Judges a request without doing anything of it.
   * @throws GraphqlRefusal
   */
  approve(request: GraphqlRequest, actor: Caller): Approved;
}

export interface GraphqlOptions {
  readonly services: GraphqlServices;
  readonly idempotency: Idempotency;
  /** Whether the schema may be asked for. */
  readonly introspection: boolean;
}

export function createGraphql(options: GraphqlOptions): Graphql {
  const { introspection } = options;
  const schema = createSchema();
  const read = createDocumentReader({ schema, introspection });
  return {
    approve({ query, operationName, variables: given }, actor) {
      const document = read(query);
      const operation = getOperationAST(document, operationName);
      if (!operation) {
        throw refusal('operationName', 'operation', 'Name one of the operations of the document.');
      }
      const hideSuggestions = !introspection;
      const variables = readVariables(operation, given, { schema, hideSuggestions });
      const fragments = fragmentsOf(document);
      const judgement = judge({ schema, operation, actor, variables, fragments });
      if (judgement.nodes > mostNodes) throw tooManyNodes(judgement.nodes);
      return {
        type: operation.operation === 'mutation' ? 'mutation' : 'query',
        name: operation.name?.value ?? null,
        fields: [...judgement.rootFields],
        points: pointsOf(judgement.nodes, judgement.changes),
        run(key) {
          const args = { schema, document, operationName, variableValues: given };
          return run(args, { ...options, actor, judgement, key });
        },
      };
    },
  };
}

function fragmentsOf({ definitions }: DocumentNode) {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
  return fragments;
}

function tooManyNodes(nodes: number) {
  return refusal(
    'query',
    'maxNodes',
    `The query may answer ${nodes} objects; at most ${mostNodes} are allowed. Ask for smaller pages.`,
  );
}

interface Running extends GraphqlOptions {
  readonly actor: Caller;
  readonly judgement: Judgement;
  readonly key: IdempotencyKey | undefined;
}

async function run(args: ExecutionArgs, running: Running): Promise<Outcome> {
  const { actor, services, idempotency, key } = running;
  const { approved, widths } = running.judgement;
  const changes = new Changes(actor, idempotency, key);
  const size = new AnswerSize();
  const pace = new Pace();
  const loaders = new Loaders({ actor, services, size, pace });
  const contextValue: Call = { actor, services, approved, widths, loaders, changes, size, pace };
  const fieldResolver = resolveProperty as GraphQLFieldResolver<unknown, unknown>;
  const { data, errors = [] } = await execute({ ...args, contextValue, fieldResolver });
  const { replayed } = changes;
  const { isLong } = pace;
  if (size.excess) return { data: null, isLong, failures: [{ cause: size.excess }], replayed };
  return { data: data ?? null, isLong, failures: errors.map(toFailure), replayed };
}

function toFailure(error: GraphQLError): Failure {
  return { path: error.path, locations: error.locations, cause: error.originalError ?? error };
}
