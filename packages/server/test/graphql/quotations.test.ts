import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ask } from '../support/graphql/asking.ts';
import { startTestServer } from '../support/server.ts';

// A client may send a secret in the wrong place. Neither responses nor the log repeat it.

const canary = 'hunter2-hunter2-hunter2-hunter2-hunter2';
const text = JSON.stringify(canary);

const changeWebhook = `mutation($input: UpdateWebhookInput!) { updateWebhook(id: "x", input: $input) { id } }`;
const newWebhook = (input: string) => `mutation { createWebhook(input: ${input}) { id } }`;
const sized = 'query($given: Int!) { vaults(pageSize: $given) { data { id } } }';
const sorted = 'query($given: SortOrder) { vaults(sortOrder: $given) { data { id } } }';
const named = 'query($given: ID!) { vault(id: $given) { id } }';
const ending =
  'mutation($given: DateTime) { shareDocument(documentId: "x", input: { expiresAt: $given }) { id } }';

const variables: readonly (readonly [query: string, variables: object, message: RegExp])[] = [
  [changeWebhook, { input: { secret: [canary] } }, /^secret: String cannot represent a non string/],
  [changeWebhook, { input: { secret: { canary } } }, /^secret: String cannot represent/],
  [changeWebhook, { input: { active: canary } }, /^active: Boolean cannot represent/],
  [changeWebhook, { input: { events: ['x', [canary]] } }, /^events\.1: String cannot/],
  [changeWebhook, { input: canary }, /^input: Expected type "UpdateWebhookInput" to be an object/],
  [changeWebhook, { input: { secret: 'short', nope: canary } }, /^Field "nope" is not defined/],
  [sized, { given: canary }, /^given: Int cannot represent non-integer value\.$/],
  [sized, { given: 8_888_888_888 }, /^given: Int cannot represent non 32-bit/],
  [named, { given: { canary } }, /^given: ID cannot represent/],
  [sorted, { given: canary }, /^given: There is no such value in the enum/],
  [sorted, { given: [canary] }, /^given: Enum "SortOrder" cannot represent/],
  [sorted, { given: `x" does not exist in "${canary}" enum.` }, /enum "SortOrder"\.$/],
  [sorted, { given: `cannot represent value: ${canary}\n` }, /enum "SortOrder"\.$/],
  [ending, { given: [canary] }, /^given: DateTime cannot represent/],
];

const documents: readonly (readonly [query: string, message: RegExp])[] = [
  [`{ vaults(pageSize: ${text}) { data { id } } }`, /^Int cannot represent non-integer value\.$/],
  [`{ vaults(search: [${text}]) { data { id } } }`, /^String cannot represent/],
  [`{ vaults(sortOrder: ${text}) { data { id } } }`, /^Enum "SortOrder" cannot represent/],
  [`{ vaults(sortOrder: hunter2) { data { id } } }`, /^There is no such value in the enum/],
  [`{ vaults(isActive: ${text}) { data { id } } }`, /^Boolean cannot represent/],
  [`{ vault(id: [${text}]) { id } }`, /^ID cannot represent/],
  [newWebhook(text), /^Expected value of type "CreateWebhookInput!?"\.$/],
  [newWebhook(`{ url: $url, events: [], secret: ${text} }`), /^Variable "\$url" is not defined/],
  [newWebhook(`{ url: "x", events: [], secret: hunter2 }`), /^String cannot represent/],
  [newWebhook(`{ secret: ${text} ${text} }`), /^Syntax Error: Expected Name, found String\.$/],
  [newWebhook(`{ secret: ${text} hunter2 }`), /^Syntax Error: Expected ":", found "}"\.$/],
  [newWebhook(`{ secret: } hunter2`), /^Syntax Error: Unexpected "}"\.$/],
  [newWebhook(`{ secret: """${canary}""" 7 }`), /^Syntax Error: Expected Name, found Int\.$/],
  [`{ me { id } } ${text} hunter2`, /^Syntax Error: Unexpected/],
  [`{ me { id } } hunter2`, /^Syntax Error: Unexpected Name\.$/],
  [`{ me { id } } """${canary}\n${canary}""" hunter2 { me }`, /^Syntax Error: Unexpected/],
  [newWebhook(`{ secret: "hunter2`), /^Syntax Error: Unterminated string/],
];

const halves: readonly (readonly [query: string, variables: object, message: RegExp])[] = [
  [
    `mutation($url: String = "x") { createWebhook(input: { url: $url, events: [], secret: ${text} }) { id } }`,
    { url: null },
    /^Argument "input" has an invalid value\.$/,
  ],
];

test('error messages and log contain no values of the document or its variables', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
  for (const graphqlIntrospection of [true, false]) {
    const { developer } = await startTestServer({ log, graphqlIntrospection });
    const asked = [
      ...variables.map(([query, given, message]) => ({ query, given, message })),
      ...halves.map(([query, given, message]) => ({ query, given, message })),
      ...documents.map(([query, message]) => ({ query, given: {}, message })),
    ];
    for (const { query, given, message } of asked) {
      const place = `${query} ${JSON.stringify(given)}`;
      const refused = await ask(developer, query, { variables: { ...given } });
      expect(refused.status, place).toBe(400);
      const messages = refused.body.errors.map((error: { message: string }) => error.message);
      expect(messages, place).toContainEqual(expect.stringMatching(message));
      const responseText = JSON.stringify(refused.body);
      expect(responseText, place).not.toContain('hunter2');
      expect(responseText, place).not.toContain('8888888888');
    }
  }
  expect(lines.join('')).toContain('graphql');
  expect(lines.join('')).not.toContain('hunter2');
});
