// A server in a process of its own. It responds to each message with its highest resident memory so far, in bytes.
import { startServer } from '../../src/index.ts';

const server = await startServer({ port: 0, data: ':memory:', logLevel: 'silent' });
process.on('message', () => process.send?.(process.resourceUsage().maxRSS * 1024));
process.send?.({ url: server.url, apiKey: server.apiKey });
