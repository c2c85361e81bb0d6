/**
 * Fails when a package exports a name from two files: one name stands for one thing.
 *
 * Builds of one module for several runtimes (`hmac.node.ts`, `hmac.web.ts`) export the same names by design.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm;

const files = execFileSync('git', ['ls-files', 'packages/*/src/*'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('/generated/'));

/** The modules that export a name, by package and name. */
const modules = new Map<string, Set<string>>();
for (const file of files) {
  const [, packageName] = file.split('/');
  for (const [, name] of readFileSync(file, 'utf8').matchAll(declaration)) {
    const key = `${packageName}: ${name}`;
    const module = file.replace(/(?:\.node|\.web)?\.tsx?$/, '');
    modules.set(key, (modules.get(key) ?? new Set()).add(module));
  }
}

for (const [name, { size }] of modules) {
  if (size === 1) continue;
  console.error(`${name} is exported by ${[...(modules.get(name) ?? [])].join(', ')}`);
  process.exitCode = 1;
}
