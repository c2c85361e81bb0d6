import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { nextTick } from 'node:process';
import { freeOwn } from '../../../lib/buffers.ts';

/**
 * A client that reads or sends slowly occupies a connection to the store. With the default of 50 of the S3 client,
 * that many clients would make all contents unavailable. The server's own connections limit their number.
 */
const options = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };

/** Returns the agents that connect to the object store. */
export function storeAgents(): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  return {
    httpAgent: freeingReads(new HttpAgent(options)),
    httpsAgent: freeingReads(new HttpsAgent(options)),
  };
}

/**
 * Makes an agent whose sockets free what they have read. Node's HTTP client copies the body of a response out of the
 * socket's buffers, and leaves them to the garbage collector: without this, it collects everything every 16 MiB.
 */
function freeingReads<Agent extends HttpAgent>(agent: Agent): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args);
    // The HTTP parser is called later in the same event.
    socket?.on('data', (bytes: Buffer) => nextTick(freeOwn, bytes));
    return socket;
  };
  return agent;
}
