// A server in a process of its own. It responds to each message with its resource usage so far.
import { startServer } from '../../src/index.ts';

const server = await startServer({ port: 0, data: ':memory:', logLevel: 'silent' });
process.on('message', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.send?.({
    peakBytes: maxRSS * 1024,
    processorMs: (userCPUTime + systemCPUTime) / 1000,
  });
});
process.send?.({ url: server.url, apiKey: server.apiKey });
