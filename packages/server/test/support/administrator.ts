import { dataFolder, makeAdmin } from './data-folder.ts';
import { type Account, startTestServer, type TestServerOptions } from './server.ts';

/** Starts a test server with its own data folder and an administrator account. */
export async function startWithAdministrator(options: TestServerOptions = {}) {
  const data = await dataFolder();
  const before = await startTestServer({ ...options, data });
  const account: Account = await before.signUp('admin@example.com');
  await before.close();
  makeAdmin(data, account.email);
  const server = await startTestServer({ ...options, data });
  const { body: me } = await server.developer('GET', '/api/v1/users/me');
  return {
    ...server,
    data,
    /** Sends requests with an access token of the administrator. */
    admin: await server.signIn(account),
    adminAccount: account,
    /** Id of the instance that the first start created. */
    instanceId: me.instanceId as string,
  };
}
