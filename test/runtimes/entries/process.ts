import { runAll } from '../suite/run.ts';

/** Node, Bun and Deno all have it. */
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

const environment = JSON.parse(process.env.CONFORMANCE_ENVIRONMENT ?? '');
runAll(environment).then((results) => console.log(JSON.stringify(results)));
