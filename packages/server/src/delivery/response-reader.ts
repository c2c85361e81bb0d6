/** A receiver sent more than the limit; the connection is closed. */
export class ExcessError extends Error {
  override readonly name = 'ExcessError';
}

/** A response that is not valid HTTP/1.1. The message is the error of the attempt. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

/** The parts of a head that an attempt uses. */
interface Head {
  readonly statusCode: number;
  readonly retryAfter: string | undefined;
  /** Undefined: the end of the connection ends the body. */
  readonly framing: 'chunks' | number | undefined;
  /** Milliseconds for which the receiver keeps the idle connection; 0 when it closes it. */
  readonly keptMs: number;
}

/** Maximum bytes of a response with informational responses before it, heads and bodies together. */
const maxBytes = 16 * 1024;

const protocol = 'HTTP/1.';
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** RFC 9112, section 5: no white space before the colon, no folded lines. */
const fieldLine = /^([!#$%&'*+\-.^_`|~\w]+):([\t\x20-\x7e\x80-\xff]*)$/;
const bareLineFeed = /[^\r]\n/;
const length = /^[\t ]*(\d{1,15})[\t ]*$/;
const chunked = /(?:^|[\t ,])chunked[\t ]*$/i;
const closing = /(?:^|[\t ,])close[\t ]*(?:,|$)/i;
const keepAliveTimeout = /(?:^|[\t ,])timeout=(\d{1,9})/i;
const chunkLine = /^([\da-f]+)[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;

/**
 * Reads one response (RFC 9112), in pieces of any size. It is strict: a receiver and the server never disagree about
 * where a response ends, because a connection with any doubt is not used again.
 */
export class ResponseReader {
  /** That of the final response: informational ones are skipped. */
  #head: Head | undefined;
  /** Input that is not read yet, one character for each byte. */
  #input = '';
  /** Bytes received so far. */
  #received = 0;
  #body = '';
  /** Bytes that are left of the chunk. Undefined: the size of the next chunk follows. */
  #chunkLeft: number | undefined;
  #isInTrailers = false;
  #isComplete = false;

  /** Undefined until the head is complete. */
  get statusCode(): number | undefined {
    return this.#head?.statusCode;
  }

  /** The value of `Retry-After`. */
  get retryAfter(): string | undefined {
    return this.#head?.retryAfter;
  }

  get body(): Buffer {
    return Buffer.from(this.#body, 'latin1');
  }

  /** Milliseconds for which the receiver keeps the connection after this response; 0 when it cannot be used again. */
  get keptMs(): number {
    const hasMore = this.#input !== '' || this.#received > maxBytes;
    return this.#isComplete && !hasMore ? (this.#head?.keptMs ?? 0) : 0;
  }

  /**
   * Reads the next bytes.
   *
   * @returns whether the response is complete
   * @throws {@link ResponseError}, {@link ExcessError}
   */
  read(bytes: Buffer): boolean {
    const allowed = maxBytes - this.#received;
    this.#received += bytes.length;
    this.#input += bytes.toString('latin1', 0, Math.min(allowed, bytes.length));
    if (this.#readInput()) return true;
    if (bytes.length > allowed) throw new ExcessError();
    return false;
  }

  /** The receiver ended the connection. Returns whether the response is complete. */
  end(): boolean {
    this.#isComplete ||= this.#head !== undefined && this.#head.framing === undefined;
    return this.#isComplete;
  }

  #readInput(): boolean {
    while (this.#head === undefined) {
      if (!this.#readHead()) return false;
    }
    const { framing } = this.#head;
    this.#isComplete = framing === 'chunks' ? this.#readChunks() : this.#readBody(framing);
    return this.#isComplete;
  }

  /** Returns whether a head was read, which may be that of an informational response. */
  #readHead(): boolean {
    const start = this.#input.slice(0, protocol.length);
    if (!protocol.startsWith(start)) throw notHttp();
    const end = this.#input.indexOf('\r\n\r\n');
    if (end === -1) {
      // The head of a receiver that ends its lines with LF alone would never end.
      if (bareLineFeed.test(this.#input)) throw notHttp();
      return false;
    }
    const head = readHead(this.#input.slice(0, end));
    this.#input = this.#input.slice(end + 4);
    if (head.statusCode >= 200) this.#head = head;
    return true;
  }

  /** Returns whether the body is complete. */
  #readBody(length = Number.POSITIVE_INFINITY): boolean {
    const missing = length - this.#body.length;
    this.#body += this.#input.slice(0, missing);
    this.#input = this.#input.slice(missing);
    return this.#body.length === length;
  }

  #readChunks(): boolean {
    for (;;) {
      if (this.#chunkLeft !== undefined) {
        if (!this.#readChunk(this.#chunkLeft)) return false;
        continue;
      }
      const line = this.#readLine();
      if (line === undefined) return false;
      if (this.#isInTrailers) {
        if (line === '') return true;
        if (!fieldLine.test(line)) throw notHttp();
        continue;
      }
      const [, size] = chunkLine.exec(line) ?? [];
      if (size === undefined) throw notHttp();
      const bytes = Number.parseInt(size, 16);
      if (bytes === 0) this.#isInTrailers = true;
      else this.#chunkLeft = bytes;
    }
  }

  /** Returns whether the chunk and its line end are complete. */
  #readChunk(left: number): boolean {
    const data = this.#input.slice(0, left);
    this.#body += data;
    this.#input = this.#input.slice(data.length);
    this.#chunkLeft = left - data.length;
    if (this.#chunkLeft > 0 || this.#input.length < 2) return false;
    if (!this.#input.startsWith('\r\n')) throw notHttp();
    this.#input = this.#input.slice(2);
    this.#chunkLeft = undefined;
    return true;
  }

  #readLine(): string | undefined {
    const end = this.#input.indexOf('\r\n');
    if (end === -1) return undefined;
    const line = this.#input.slice(0, end);
    this.#input = this.#input.slice(end + 2);
    return line;
  }
}

const upgraded = 'the response changes the protocol, which was not requested';

function notHttp(): ResponseError {
  return new ResponseError('the response is not valid HTTP');
}

function readHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const [, version, status] = statusLine.exec(first) ?? [];
  if (status === undefined) throw notHttp();
  const statusCode = Number(status);
  if (statusCode === 101) throw new ResponseError(upgraded);
  const fields = readFields(lines);
  const hasBody = statusCode !== 204 && statusCode !== 304;
  const framing = hasBody ? framingOf(fields) : 0;
  const isKept = version === '1' && framing !== undefined && !closing.test(fields.connection ?? '');
  const keptMs = isKept ? hintedMs(fields['keep-alive']) : 0;
  return { statusCode, retryAfter: fields['retry-after']?.trim(), framing, keptMs };
}

type Fields = Partial<Record<string, string>>;

/** Returns the fields that matter to an attempt, by name in lower case. Several fields of a name are one list. */
function readFields(lines: readonly string[]): Fields {
  const fields: Fields = {};
  for (const line of lines) {
    const [, name, value = ''] = fieldLine.exec(line) ?? [];
    if (name === undefined) throw notHttp();
    const folded = name.toLowerCase();
    if (!used.has(folded)) continue;
    const earlier = fields[folded];
    fields[folded] = earlier === undefined ? value : `${earlier},${value}`;
  }
  return fields;
}

const used: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'retry-after',
  'transfer-encoding',
]);

/** RFC 9112, section 6.3. A length beside a coding, or two lengths, are refused. */
function framingOf(fields: Fields): Head['framing'] {
  const { 'content-length': given, 'transfer-encoding': coding } = fields;
  if (given === undefined)
    return coding !== undefined && chunked.test(coding) ? 'chunks' : undefined;
  const [, digits] = length.exec(given) ?? [];
  if (digits === undefined || coding !== undefined) throw notHttp();
  return Number(digits);
}

/** A receiver closes the connection after the time of `Keep-Alive`, so it is used a second less. */
function hintedMs(keepAlive = ''): number {
  const [, seconds] = keepAliveTimeout.exec(keepAlive) ?? [];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Number(seconds) - 1) * 1000;
}
