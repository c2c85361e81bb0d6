import { dataFolder } from '../data-folder.ts';
import { startTestServer, type TestServerOptions } from '../server.ts';

const unlimited = {
  requestsPerMinute: { enterprise: 1_000_000 },
  requestsPerHour: { enterprise: 1_000_000 },
};

/** Starts two servers on one database, each as if in a process of its own: they share nothing in memory. */
export async function startTwo(options: TestServerOptions = {}) {
  const data = await dataFolder();
  const [first, second] = await Promise.all([
    startTestServer({ data, ...unlimited, ...options }),
    startTestServer({ data, ...unlimited, ...options }),
  ]);
  const apiKey = first.apiKey || second.apiKey;
  return {
    data,
    apiKey,
    servers: [first, second] as const,
    callers: [first.withKey(apiKey), second.withKey(apiKey)] as const,
  };
}
