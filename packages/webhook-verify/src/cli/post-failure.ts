const closed = 'The connection was closed before the answer was complete.';

const sentences: Readonly<Record<string, string>> = {
  ABORT_ERR: closed,
  ECONNRESET: closed,
  EPIPE: closed,
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The connection timed out.',
};

const tlsCodes = /^(CERT_|ERR_SSL_|ERR_TLS_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** A sentence on why no complete answer came from an address. */
export function describeFailure(error: unknown, { hostname, host }: URL): string {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return `Connection refused: nothing listens on ${host}.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host ${hostname} is not known.`;
  if (code.startsWith('HPE_')) return 'The answer is not valid HTTP.';
  if (tlsCodes.test(code)) return `The TLS connection failed (${code}).`;
  return sentences[code] ?? `The request failed (${code}).`;
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return String(error);
}
