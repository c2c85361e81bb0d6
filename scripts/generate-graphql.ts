/**
 * Prints the types and ready documents of the SDK's GraphQL entry from the schema and from its
 * `.graphql` files. Inputs, enums and the results of operations are those of GraphQL Code Generator;
 * fragments become interfaces with names and descriptions, which it does not write, and documents
 * become plain strings, so that no library is needed to send them.
 */
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { generate } from '@graphql-codegen/cli';
import {
  buildSchema,
  concatAST,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  separateOperations,
  stripIgnoredCharacters,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { comment, header } from './typescript-printer.ts';

const scalars = { ID: 'string', DateTime: 'string', JSON: 'unknown', SafeInt: 'number' };
const builtIn = { String: 'string', Int: 'number', Float: 'number', Boolean: 'boolean' };
const scalarTexts: Readonly<Record<string, string>> = { ...scalars, ...builtIn };

/** What the SDK's GraphQL entry has of the schema and its documents. */
export interface GraphqlSources {
  /** The text of `generated/graphql.ts`. */
  readonly types: string;
  /** The text of `generated/graphql-documents.ts`. */
  readonly documents: string;
}

/**
 * The types and the ready documents, which are apart: a name may be that of both.
 *
 * @param documents - folder of the `.graphql` files
 * @throws Error when a document does not fit the schema, or a fragment selects an object otherwise
 * than by one fragment
 */
export async function graphqlSources(schemaUrl: URL, documents: URL): Promise<GraphqlSources> {
  const schema = buildSchema(await readFile(schemaUrl, 'utf8'));
  const files = await Array.fromAsync(glob('*.graphql', { cwd: fileURLToPath(documents) }));
  const texts = files.toSorted().map((file) => readFile(new URL(file, documents), 'utf8'));
  const document = concatAST((await Promise.all(texts)).map((text) => parse(text)));
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const operations = await operationTypes(schemaUrl, documents, argumentsOf(document, schema));
  const types = [
    header,
    describeResults(operations, schema).trimStart(),
    ...fragments.map((fragment) => fragmentText(fragment as FragmentDefinitionNode, schema)),
  ];
  return { types: types.join('\n'), documents: documentsModule(document, schema) };
}

/** What GraphQL Code Generator writes, with names of fragments in place of its own types for them. */
async function operationTypes(schemaUrl: URL, documents: URL, described: Described) {
  const [output] = await generate(
    {
      schema: fileURLToPath(schemaUrl),
      documents: `${fileURLToPath(documents)}*.graphql`,
      silent: true,
      generates: {
        'graphql.ts': {
          plugins: ['typescript-operations'],
          config: {
            scalars,
            enumType: 'string-literal',
            inlineFragmentTypes: 'combine',
            declarationKind: 'interface',
          },
        },
      },
    },
    false,
  );
  return (output.content as string)
    .replace(/^\/\*\* Internal type.*\n(export )?type .*\n/gm, '')
    .replace(/^export type \w+Fragment = [^;]*;\n\n?/gm, '')
    .replace(/\b(\w+)Fragment\b/g, '$1')
    .replace(/^export type (\w+) = Exact<\{ \[key: string\]: never; \}>;$/gm, emptyVariables)
    .replace(/^export type (\w+) = Exact<\{\n([^}]*)\}>;$/gm, (_, name: string, lines: string) =>
      variablesText(name, lines, described),
    )
    .replace(/\n{3,}/g, '\n\n');
}

/** Results of operations with the descriptions of their fields. */
function describeResults(text: string, schema: GraphQLSchema): string {
  return text.replace(
    /^export interface (\w+(Query|Mutation)) \{ (\w+): (.*) \}$/gm,
    (_, name: string, kind: 'Query' | 'Mutation', field: string, type: string) => {
      const root = schema.getType(kind);
      const description = isObjectType(root) ? fieldOf(root, field).description : undefined;
      const head = `/** Result of the document \`${documentName(name)}\`. */`;
      return `${head}\nexport interface ${name} {\n${comment(description, '  ')}  ${field}: ${type};\n}`;
    },
  );
}

function emptyVariables(_: string, name: string): string {
  const head = `/** Variables of the document \`${documentName(name)}\`: none. */`;
  return `${head}\nexport type ${name} = Record<string, never>;`;
}

function variablesText(name: string, lines: string, described: Described): string {
  const text = lines.replace(/^ {2}(\w+)/gm, (line, variable: string) => {
    const argument = described.get(`${name} ${variable}`);
    return comment(argument && describe(argument), '  ') + line;
  });
  return `/** Variables of the document \`${documentName(name)}\`. */\nexport interface ${name} {\n${text}}`;
}

function documentName(typeName: string): string {
  const name = typeName.replace(/(Query|Mutation)(Variables)?$/, '');
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function describe({ description, defaultValue }: GraphQLArgument): string {
  const fallback = defaultValue === undefined ? '' : ` @default ${String(defaultValue)}`;
  return `${description}${fallback}`;
}

/** The arguments that variables of operations are given to, by `<interface> <variable>`. */
type Described = ReadonlyMap<string, GraphQLArgument>;

function argumentsOf(document: DocumentNode, schema: GraphQLSchema): Described {
  const found = new Map<string, GraphQLArgument>();
  for (const operation of Object.values(separateOperations(document))) {
    const types = new TypeInfo(schema);
    visit(
      operation,
      visitWithTypeInfo(types, {
        Argument: ({ value }) => {
          const argument = types.getArgument();
          if (value.kind !== Kind.VARIABLE || !argument) return;
          found.set(`${typeName(operationOf(operation))}Variables ${value.name.value}`, argument);
        },
      }),
    );
  }
  return found;
}

function operationOf(document: DocumentNode): OperationDefinitionNode {
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('there is no operation');
  return operation;
}

/** What GraphQL Code Generator calls the result of an operation. */
function typeName({ name, operation }: OperationDefinitionNode): string {
  return capitalized(name?.value ?? '') + capitalized(operation);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function fragmentText(fragment: FragmentDefinitionNode, schema: GraphQLSchema): string {
  const type = schema.getType(fragment.typeCondition.name.value);
  if (!isObjectType(type)) throw new Error(`${fragment.name.value} is of no object type`);
  const { selections } = fragment.selectionSet;
  const bases = selections.flatMap((part) =>
    part.kind === Kind.FRAGMENT_SPREAD ? [part.name.value] : [],
  );
  const members = selections.map((part) => {
    if (part.kind !== Kind.FIELD) return '';
    const field = fieldOf(type, part.name.value);
    const text = typeText(field.type, part.selectionSet);
    return `${comment(field.description, '  ')}  ${field.name}: ${text};\n`;
  });
  const heritage = bases.length === 0 ? '' : ` extends ${bases.join(', ')}`;
  const head = `export interface ${fragment.name.value}${heritage}`;
  return `${comment(type.description, '')}${head} {\n${members.join('')}}\n`;
}

function fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> {
  const field = type.getFields()[name];
  if (!field) throw new Error(`${type.name} has no field ${name}`);
  return field;
}

/** A type as an expression; objects are called by the one fragment that is selected of them. */
function typeText(type: GraphQLOutputType, selection: SelectionSetNode | undefined): string {
  if (isNonNullType(type)) return presentText(type.ofType, selection);
  const text = presentText(type, selection);
  return text === 'unknown' ? text : `${text} | null`;
}

function presentText(type: GraphQLOutputType, selection: SelectionSetNode | undefined): string {
  if (isNonNullType(type)) return presentText(type.ofType, selection);
  if (isListType(type)) return `Array<${typeText(type.ofType, selection)}>`;
  if (isObjectType(type)) return spreadName(type, selection);
  if (isEnumType(type)) return type.name;
  const text = scalarTexts[type.name];
  if (text === undefined) throw new Error(`no translation for ${type.name}`);
  return text;
}

function spreadName({ name }: GraphQLObjectType, selection: SelectionSetNode | undefined): string {
  const [part, ...others] = selection?.selections ?? [];
  if (part?.kind !== Kind.FRAGMENT_SPREAD || others.length > 0) {
    throw new Error(`select ${name} by one fragment`);
  }
  return part.name.value;
}

/** A module of the operations. */
function documentsModule(document: DocumentNode, schema: GraphQLSchema): string {
  const operations = Object.values(separateOperations(document));
  const names = operations.map((operation) => typeName(operationOf(operation))).toSorted();
  const types = names.flatMap((name) => [`  ${name},\n`, `  ${name}Variables,\n`]);
  return [
    header,
    "import type { TypedDocument } from '../graphql/request.ts';",
    `import type {\n${types.join('')}} from './graphql.ts';\n`,
    ...operations.map((operation) => documentText(operation, schema)),
  ].join('\n');
}

/** An operation with its fragments as a string without needless characters. */
function documentText(document: DocumentNode, schema: GraphQLSchema): string {
  const definition = operationOf(document);
  const [root] = definition.selectionSet.selections;
  const type = schema.getRootType(definition.operation);
  const name = definition.name?.value;
  if (root?.kind !== Kind.FIELD || !type) throw new Error(`${name} asks for no field`);
  const result = typeName(definition);
  const text = stripIgnoredCharacters(print(document));
  return `${comment(fieldOf(type, root.name.value).description, '')}export const ${name} =\n  '${text}' as unknown as TypedDocument<\n    ${result},\n    ${result}Variables\n  >;\n`;
}
