// A server in a process of its own. It responds to each message with its highest resident memory so far, in bytes.
import { startServer } from '../../src/index.ts';

// On a busy machine, connections of an attack wait for longer than these limits.
const timeouts = { headersTimeout: 600_000, requestTimeout: 600_000, idleTimeout: 600_000 };
const server = await startServer({ port: 0, data: ':memory:', logLevel: 'silent', ...timeouts });
process.on('message', () => process.send?.(process.resourceUsage().maxRSS * 1024));
process.send?.({ url: server.url, apiKey: server.apiKey });
