import { readFile } from 'node:fs/promises';

/** The enumerations whose values the console offers, by the names of their lists. */
const lists = {
  scopes: 'Scope',
  eventTypes: 'EventType',
  tiers: 'Tier',
  deliveryStatuses: 'DeliveryStatus',
} as const;

interface Contract {
  readonly components: { readonly schemas: Record<string, { readonly enum: readonly string[] }> };
}

/** The values of enumerations at run time, in the order of the contract: types have none. */
export async function choices(contractUrl: URL): Promise<string> {
  const { components }: Contract = JSON.parse(await readFile(contractUrl, 'utf8'));
  const texts = Object.entries(lists).map(([name, schema]) => {
    const values = components.schemas[schema]?.enum ?? [];
    return `export const ${name} = [\n${values.map((value) => `  '${value}',\n`).join('')}] as const;\n`;
  });
  return texts.join('\n');
}
