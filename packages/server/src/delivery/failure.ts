import { LookupError } from './address-guard.ts';
import { ExcessError } from './input-limit.ts';

const notHttp = 'the answer is not valid HTTP';
const tooLargeHead = 'the head of the answer is too large';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPIPE: 'connection reset',
  // The client asserts what an answer must be, a status of three digits from 100 for example.
  ERR_ASSERTION: notHttp,
  ETIMEDOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: tooLargeHead,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection closed before the answer was complete',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
};

/** What the client says of answers that it does not go along with, under one code with the rest. */
const refusedAnswers: Readonly<Record<string, string>> = {
  'bad response': 'status 100, which was not asked for',
  'bad upgrade': 'a change of protocol, which was not asked for',
};

const tlsCodes = /^(CERT_|ERR_SSL_|ERR_TLS_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A short, stable sentence on why no complete answer came. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error instanceof LookupError) return error.message;
  if (error instanceof ExcessError) return tooLargeHead;
  if (error.name === 'HTTPParserError') return notHttp;
  const code = codeOf(error);
  if (code === undefined) return 'the request failed';
  const sentence = refusedAnswers[error.message] ?? sentences[code];
  if (sentence !== undefined) return sentence;
  if (tlsCodes.test(code)) return `TLS connection refused (${code})`;
  return `connection failed (${code})`;
}
