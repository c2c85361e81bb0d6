/** s3rver, an S3 server for tests: with one bucket, in a process of its own. */
import { createRequire } from 'node:module';

const [, , directory = '.'] = process.argv;
// It has no types.
const S3rver = createRequire(import.meta.url)('s3rver') as new (
  options: object,
) => {
  run(): Promise<{ readonly port: number }>;
};
const server = new S3rver({
  directory,
  address: '127.0.0.1',
  port: 0,
  silent: true,
  configureBuckets: [{ name: 'vault' }],
});
const { port } = await server.run();
process.once('SIGTERM', () => process.exit());
process.send?.(`http://127.0.0.1:${port}`);
