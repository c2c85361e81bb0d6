/** Stores nothing and looks nowhere: what it reaches is the most that the load can show. */
import { createServer } from 'node:http';
import { pageSize, seededVaults } from '../data.ts';
import { programArguments } from './arguments.ts';

const vaults = seededVaults().slice(0, pageSize);
const one = JSON.stringify(vaults[0]);
const page = JSON.stringify({ data: vaults, pagination: { total: vaults.length } });

createServer((request, response) => {
  const body = request.url?.includes('?') ? page : one;
  const created = request.method === 'POST';
  const end = () => {
    response.writeHead(created ? 201 : 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  };
  if (created) request.on('end', end).resume();
  else end();
}).listen(programArguments().port, '127.0.0.1');
