import { createHash } from 'node:crypto';

/** An answer that is the same for everybody and for long: its JSON is written once. */
export class Serialised<Body> {
  /** The JSON. */
  readonly text: string;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
    this.text = JSON.stringify(body);
    this.etag = `"${createHash('sha256').update(this.text).digest('base64url')}"`;
  }
}
