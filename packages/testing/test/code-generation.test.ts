import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = `
  import { createTestVault } from '@document-vault/testing';
  const { account } = createTestVault({ baseUrl: 'https://vault.example.com' });
  const refused = () => {
    try {
      account.createVault({ name: '' });
    } catch (error) {
      return error.message;
    }
  };
  let generated;
  try {
    generated = new Function('return true')();
  } catch (error) {
    generated = error.name;
  }
  console.log(JSON.stringify([account.createVault({ name: ' Taxes ' }).name, refused(), generated]));
`;

test('the test vault validates where code generation from strings is forbidden', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--disallow-code-generation-from-strings',
      '--conditions=@document-vault/source',
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '--eval',
      program,
    ],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  expect(JSON.parse(stdout)).toEqual(['Taxes', 'name must not be empty.', 'EvalError']);
});
