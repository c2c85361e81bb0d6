// The error catalogue and the error class of the contract, which the test kit shares.

export {
  type ErrorCode,
  errorCatalogue,
  notFound,
  ServiceError,
  type ServiceErrorOptions,
  shownName,
  type Violation,
  validationError,
  violation,
} from '../generated/rules/errors.ts';
