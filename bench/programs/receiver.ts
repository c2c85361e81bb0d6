/** Takes every POST, and says on GET how many have come under each path. */
import { createServer } from 'node:http';
import { programArguments } from './arguments.ts';

const counts: Record<string, number> = {};
const deliveries = new Set<string>();

createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ counts, distinct: deliveries.size }));
    return;
  }
  const { url = '/', headers } = request;
  counts[url] = (counts[url] ?? 0) + 1;
  const id = headers['x-service-delivery-id'];
  if (typeof id === 'string') deliveries.add(id);
  request.on('end', () => response.end()).resume();
}).listen(programArguments().port, '127.0.0.1');
