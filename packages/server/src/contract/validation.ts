import { checkBody, checkParameters } from '../generated/rules/violations.ts';
import { requestValidators } from '../generated/validators/index.js';
import type { Operation } from './contract.ts';

/** Validates the parts of a request against the contract, and fills in the contract's defaults. */
export interface RequestValidator {
  /** @throws ServiceError VALIDATION_ERROR */
  query(query: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** The names of the parameters of the query. */
  readonly queryNames: readonly string[];
  /** @throws ServiceError VALIDATION_ERROR */
  headers(headers: Readonly<Record<string, unknown>>): void;
  /** @throws ServiceError VALIDATION_ERROR */
  body(body: unknown): unknown;
}

/** Creates the validator of one operation. */
export function createRequestValidator({ id, parameters }: Operation): RequestValidator {
  const validators = requestValidators[id];
  const namesIn = (place: 'query' | 'header') =>
    parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  const queryNames = namesIn('query');
  const headerNames = namesIn('header');

  return {
    queryNames,
    query(values) {
      const known = pick(queryNames, (name) => values[name]);
      if (validators.query) checkParameters(validators.query, known);
      return known;
    },
    headers(values) {
      // Node's header names are in lower case.
      const known = pick(headerNames, (name) => values[name.toLowerCase()]);
      if (validators.headers) checkParameters(validators.headers, known);
    },
    body(value) {
      if (validators.body) checkBody(validators.body, value);
      return value;
    },
  };
}

function pick(names: readonly string[], look: (name: string) => unknown) {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = look(name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
