import { contractOperations, type OperationId } from '../contract/contract.ts';
import { createRequestValidator } from '../contract/validation.ts';
import { ServiceError } from '../errors.ts';
import { inOptions, UsageError } from './failures.ts';

/**
 * What the options of a command come to as the body of an operation, by the rules of the contract.
 *
 * @throws UsageError naming the option and the rule
 */
export function approvedBody<Body extends object>(id: OperationId, body: Body): Body {
  const operation = contractOperations.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`the contract has no operation ${id}`);
  try {
    return createRequestValidator(operation).body(body) as Body;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(inOptions(String(error.details.field), error.message), { cause: error });
  }
}
