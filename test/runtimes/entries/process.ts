import { runAll } from '../suite/run.ts';

/** Of Node, Bun and Deno alike. */
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

const world = JSON.parse(process.env.CONFORMANCE_WORLD ?? '');
runAll(world).then((results) => console.log(JSON.stringify(results)));
