/**
 * Writes the references of the client, of the test kit and of the verifier into `site/`: their public names with their
 * descriptions, as HTML. A public name without a description is an error.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Application,
  type DeclarationReflection,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  type TypeDocOptions,
} from 'typedoc';

type Target = string | { readonly [condition: string]: Target };

interface Entry {
  /** What it is imported by. */
  readonly name: string;
  /** Relative to the sources: what TypeDoc calls it. */
  readonly module: string;
  readonly file: string;
}

const root = new URL('../', import.meta.url);

const options: Partial<TypeDocOptions> = {
  readme: 'none',
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  // The types that openapi-fetch reads: the contract describes them.
  exclude: ['**/generated/openapi.ts'],
  disableSources: true,
  // The type check finds errors, and more of them.
  skipErrorChecking: true,
  // Tags of the generated types, which the reference leaves out.
  suppressCommentWarningsInDeclarationFiles: true,
  blockTags: [
    '@constant',
    '@default',
    '@description',
    '@enum',
    '@example',
    '@param',
    '@returns',
    '@throws',
  ],
  logLevel: 'Warn',
  validation: { invalidLink: true, notDocumented: false, notExported: false },
};

/**
 * Writes the reference of a package.
 *
 * @throws Error when a public name has no description, or a description links to nothing
 */
async function writeReference(name: string): Promise<void> {
  const folder = fileURLToPath(new URL(`packages/${name}`, root));
  const entries = await entriesOf(folder);
  const app = await Application.bootstrap({
    ...options,
    entryPoints: entries.map(({ file }) => file),
    // The type check of the client leaves out its entry for Node.
    tsconfig: join(folder, name === 'sdk' ? 'tsconfig.build.json' : 'tsconfig.json'),
    name: `@document-vault/${name}`,
  });
  const project = await app.convert();
  if (!project) throw new Error('typedoc cannot read the package');
  app.validate(project);
  const problems = undescribed(project);
  if (problems.length > 0) throw new Error(`Describe ${problems.join(', ')}`);
  trim(project);
  for (const module of project.children ?? []) module.name = titleOf(module.name, entries);
  await app.generateDocs(project, fileURLToPath(new URL(`site/${name}`, root)));
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('typedoc complains');
}

/** The entries of a package with code, by the files that they begin in. */
async function entriesOf(folder: string): Promise<Entry[]> {
  const { name, exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return Object.entries<Target>(exports).flatMap(([subpath, target]) => {
    let source = typeof target === 'string' ? undefined : target['@document-vault/source'];
    if (typeof source === 'object') source = source.default;
    if (typeof source !== 'string') return [];
    const file = join(folder, source);
    const module = relative(join(folder, 'src'), file).replace(/(\/index)?\.ts$/, '');
    return [{ name: name + subpath.slice(1), module, file }];
  });
}

function titleOf(module: string, entries: readonly Entry[]): string {
  return entries.find((entry) => entry.module === module)?.name ?? module;
}

const describable =
  ReflectionKind.ClassOrInterface |
  ReflectionKind.TypeAlias |
  ReflectionKind.FunctionOrMethod |
  ReflectionKind.Variable |
  ReflectionKind.Property |
  ReflectionKind.Accessor;

/** The public names without a description; an anonymous type's are described where it is used. */
function undescribed(project: ProjectReflection): string[] {
  const names = project.getReflectionsByKind(describable).flatMap((reflection) => {
    const { signatures = [reflection], inheritedFrom } = reflection as DeclarationReflection;
    if (inheritedFrom || isAnonymous(reflection)) return [];
    return signatures.every((signature) => signature.hasComment())
      ? []
      : [reflection.getFullName()];
  });
  return [...new Set(names)].toSorted();
}

function isAnonymous({ parent }: Reflection): boolean {
  return parent !== undefined && (parent.kindOf(ReflectionKind.TypeLiteral) || isAnonymous(parent));
}

/** Leaves out inherited members: the base class documents them. */
function trim(project: ProjectReflection): void {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.ClassMember)) {
    const { inheritedFrom, parent } = reflection as DeclarationReflection;
    if (inheritedFrom && parent?.kindOf(ReflectionKind.Class)) remove(project, reflection);
  }
}

function remove(project: ProjectReflection, reflection: Reflection): void {
  const parent = reflection.parent as DeclarationReflection;
  project.removeReflection(reflection);
  for (const group of parent.groups ?? []) {
    group.children = group.children.filter((child) => child !== reflection);
  }
  parent.groups = parent.groups?.filter(({ children }) => children.length > 0) ?? [];
}

for (const name of ['sdk', 'testing', 'webhook-verify']) await writeReference(name);
