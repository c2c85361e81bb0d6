/** The bare loop: POSTs of an event over connections that are kept, and nothing around them. */
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { newVault, someSeededIds } from '../data.ts';

const { values } = parseArgs({
  options: { url: { type: 'string', default: '' }, connections: { type: 'string', default: '1' } },
});
const connections = Number(values.connections);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const id = someSeededIds()[0];
const at = new Date(0).toISOString();
const object = {
  id,
  ...newVault(0),
  description: null,
  userId: id,
  instanceId: id,
  isActive: true,
};
const times = { documentCount: 0, totalSize: 0, createdAt: at, updatedAt: at };
const context = { userId: id, instanceId: id, requestId: `req_${id}`, ipAddress: '127.0.0.1' };
const body = JSON.stringify({
  ...{ id: `evt_${id}`, type: 'vault.created', timestamp: at, apiVersion: 'v1' },
  data: { object: { ...object, ...times } },
  context,
});
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };

function post(): void {
  request(values.url, { method: 'POST', agent, headers }, (response) => {
    response.on('end', post).resume();
  }).end(body);
}

for (let connection = 0; connection < connections; connection += 1) post();
