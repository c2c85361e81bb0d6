/** An error that an operator can fix: the message says how. Commands print it without a stack trace. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
