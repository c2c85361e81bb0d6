import { LookupError } from './address-guard.ts';

const notHttp = 'the answer is not valid HTTP';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPIPE: 'connection reset',
  // The client asserts what an answer must be, a status of three digits from 100 for example.
  ERR_ASSERTION: notHttp,
  ETIMEDOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection closed before the answer was complete',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
};

const tlsCodes = /^(CERT_|ERR_SSL_|ERR_TLS_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A short, stable sentence on why no complete answer came. */
export function describeFailure(error: unknown): string {
  if (error instanceof LookupError) return error.message;
  if (error instanceof Error && error.name === 'HTTPParserError') return notHttp;
  const code = codeOf(error);
  if (code === undefined) return 'the request failed';
  const sentence = sentences[code];
  if (sentence !== undefined) return sentence;
  if (tlsCodes.test(code)) return `TLS connection refused (${code})`;
  return `connection failed (${code})`;
}
