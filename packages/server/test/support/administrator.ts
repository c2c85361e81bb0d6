import { dataFolder, makeAdmin } from './data-folder.ts';
import { type Account, startTestServer, type TestServerOptions } from './server.ts';

/** A test server on a folder of its own, with an account that is an administrator. */
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
    /** The administrator, signed in. */
    admin: await server.signIn(account),
    adminAccount: account,
    /** The instance made at the first start. */
    instanceId: me.instanceId as string,
  };
}
