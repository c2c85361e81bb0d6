/** An error that an operator can fix: commands print its message, without a stack trace. */
export class OperatorError extends Error {}
