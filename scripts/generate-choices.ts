import { readFile } from 'node:fs/promises';

/** The enumerations whose values the console offers, by the names of their lists. */
export const consoleLists = {
  scopes: 'Scope',
  eventTypes: 'EventType',
  tiers: 'Tier',
  deliveryStatuses: 'DeliveryStatus',
} as const;

/** The enumerations whose values the SDK exports. */
export const sdkLists = {
  eventTypes: 'EventType',
  scopes: 'Scope',
  errorCodes: 'ErrorCode',
} as const;

const descriptions: Readonly<Record<string, string>> = {
  scopes: 'Every scope of the service, in the order of its interface.',
  eventTypes: 'Every type of event, in the order of the interface.',
  errorCodes: 'Every error code that this version of the interface has. Later ones may be added.',
  tiers: 'Every tier.',
  deliveryStatuses: 'Every status of a delivery.',
};

interface Contract {
  readonly components: { readonly schemas: Record<string, { readonly enum: readonly string[] }> };
}

/** The values of enumerations at run time, in the order of the contract: types have none. */
export async function choices(
  contractUrl: URL,
  lists: Readonly<Record<string, string>>,
): Promise<string> {
  const { components }: Contract = JSON.parse(await readFile(contractUrl, 'utf8'));
  const texts = Object.entries(lists).map(([name, schema]) => {
    const values = components.schemas[schema]?.enum ?? [];
    return `/** ${descriptions[name]} */\nexport const ${name} = [\n${values.map((value) => `  '${value}',\n`).join('')}] as const;\n`;
  });
  return texts.join('\n');
}
