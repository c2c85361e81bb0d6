/** Checks consumers of the client, in this process alone; prints figures as JSON. */
import { measureTypeCheck } from '../sdk/type-check.ts';

process.stderr.write('… types\n');
process.stdout.write(JSON.stringify(measureTypeCheck()));
