import {
  coerceInputValue,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { type RefusedPart, refuse, typeViolation } from './refusal.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** An answer names no more mistakes than these. */
const mostMistakes = 20;

export interface VariablesOptions {
  readonly schema: GraphQLSchema;
  /** Whether mistakes are told without naming what was meant. */
  readonly hideSuggestions: boolean;
}

/**
 * The variables of an operation by the types that it declares, its defaults filled in.
 * @throws GraphqlRefusal naming the fields that do not fit
 */
export function readVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Variables,
  options: VariablesOptions,
): Variables {
  const mistakes: RefusedPart[] = [];
  const values: Record<string, unknown> = {};
  for (const definition of variableDefinitions) {
    const name = definition.variable.name.value;
    const value = readVariable(definition, given, options, (message, path) => {
      const cause = typeViolation(message, path.join('.') || name);
      if (mistakes.length < mostMistakes) mistakes.push({ cause });
    });
    if (value !== undefined) values[name] = value;
  }
  refuse(mistakes);
  return values;
}

type Report = (message: string, path: readonly (string | number)[]) => void;

function readVariable(
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  given: Variables,
  { schema, hideSuggestions }: VariablesOptions,
  report: Report,
): unknown {
  const name = variable.name.value;
  // The document is valid, so that there is such a type.
  const type = typeFromAST(schema, typeNode as never);
  if (!isInputType(type)) throw new Error(`$${name} has no input type`);
  if (Object.hasOwn(given, name)) {
    return coerceInputValue(
      given[name],
      type,
      (path, _value, { message }) => report(message, path),
      hideSuggestions,
    );
  }
  if (defaultValue) return valueFromAST(defaultValue, type);
  if (isNonNullType(type)) report(`Field "${name}" was not provided.`, []);
  return undefined;
}
