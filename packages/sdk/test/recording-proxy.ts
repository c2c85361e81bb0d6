import { type Handler, startServer } from './support/server.ts';

/** A server that notes every request in full and hands it on to another one. */
export async function startRecordingProxy(target: string) {
  const seen: string[] = [];
  const handler: Handler = async ({ method, url, headers, body }, response) => {
    seen.push([`${method} ${url}`, JSON.stringify(headers), body].join('\n'));
    const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
    const answer = await fetch(target + url, {
      method,
      headers: rest as Record<string, string>,
      ...(body !== '' && { body }),
    });
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/plain',
    });
    response.end(await answer.text());
  };
  const { url, close } = await startServer(handler);
  return { url, seen, close };
}
