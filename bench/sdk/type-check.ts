/** What a compiler takes to check a consumer of the client beyond an empty file. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { TypeCheckFigures } from '../results.ts';

/** Enough for each to be undisturbed once; on a busy machine, as many as there is time for. */
const rounds = { most: 15, fewest: 4, milliseconds: 20_000 };
/** In them, the compiler is compiled. */
const warmUps = 2;

const calls = Array.from(
  { length: 10 },
  (_, n) => `
  const vault${n}: string = (await client.vaults.get(id)).name;
  const count${n}: number = (await client.documents.list({ vaultId: id })).data.length;
  const made${n}: string = (await client.vaults.create({ name: 'Taxes' })).id;
  const token${n}: string = (await client.shares.create(id, { maxAccessCount: 3 })).shareToken;
  for await (const webhook of client.webhooks.list()) console.log(webhook.url);`,
).join('');

const programs = {
  empty: 'export {};',
  imported: `import '@document-vault/sdk';`,
  calls: `
  import { DocumentVault } from '@document-vault/sdk';
  const client = new DocumentVault({ baseUrl: 'https://vault.example', apiKey: 'key' });
  export async function use(id: string) {${calls}
  }`,
};

/** By processor time, in turns, and of each the least: other work of the machine only adds to it. */
export function measureTypeCheck(): TypeCheckFigures {
  const latest = performance.now() + rounds.milliseconds;
  const least = { empty: Infinity, imported: Infinity, calls: Infinity };
  for (let round = -warmUps; round < rounds.most; round += 1) {
    if (round >= rounds.fewest && performance.now() > latest) break;
    for (const name of ['empty', 'imported', 'calls'] as const) {
      const milliseconds = check(programs[name]);
      if (round >= 0) least[name] = Math.min(least[name], milliseconds);
    }
  }
  return {
    importMilliseconds: least.imported - least.empty,
    callsMilliseconds: least.calls - least.empty,
  };
}

/** Milliseconds of processor time. */
function check(text: string): number {
  const path = fileURLToPath(new URL('consumer.ts', import.meta.url));
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  };
  const start = process.cpuUsage();
  const host = ts.createCompilerHost(options);
  // As tsc has it: of comments, only what types depend on is read.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, version) =>
    name === path ? ts.createSourceFile(name, text, version) : getSourceFile(name, version);
  const [problem] = ts.getPreEmitDiagnostics(ts.createProgram([path], options, host));
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
