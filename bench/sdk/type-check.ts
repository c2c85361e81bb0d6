/** What a compiler takes to check a consumer of the client beyond an empty file. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { median, type TypeCheckFigures } from '../results.ts';

/** Enough for a median that one busy moment does not move. */
const rounds = 9;

const calls = Array.from(
  { length: 10 },
  (_, n) => `
  const vault${n}: string = (await vault.vaults.get(id)).name;
  const count${n}: number = (await vault.documents.list({ vaultId: id })).data.length;
  const made${n}: string = (await vault.vaults.create({ name: 'Taxes' })).id;
  const token${n}: string = (await vault.documents.share(id, { maxAccessCount: 3 })).shareToken;
  for await (const webhook of vault.webhooks.list()) console.log(webhook.url);`,
).join('');

const programs = {
  empty: 'export {};',
  imported: `import '@document-vault/sdk';`,
  calls: `
  import { DocumentVault } from '@document-vault/sdk';
  const vault = new DocumentVault({ baseUrl: 'https://vault.example', apiKey: 'key' });
  export async function use(id: string) {${calls}
  }`,
};

/** By processor time, in turns: what disturbs one round disturbs all of it. */
export function measureTypeCheck(): TypeCheckFigures {
  const turns = Array.from({ length: rounds + 1 }, () => {
    const empty = check(programs.empty);
    return { imported: check(programs.imported) - empty, calls: check(programs.calls) - empty };
  });
  // The first round compiles the compiler.
  const counted = turns.slice(1);
  return {
    importMilliseconds: median(counted.map(({ imported }) => imported)),
    callsMilliseconds: median(counted.map((turn) => turn.calls)),
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
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, version) =>
    name === path ? ts.createSourceFile(name, text, version) : getSourceFile(name, version);
  const [problem] = ts.getPreEmitDiagnostics(ts.createProgram([path], options, host));
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
