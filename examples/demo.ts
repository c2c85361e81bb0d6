/**
 * One file goes the whole way: encrypted here, stored by a server, shared, opened by a recipient,
 * decrypted and compared, while signed webhooks report every step.
 *
 *     npm run demo -- [FILE]
 *
 * Prerequisites: `npm install`; the script builds the packages and imports them by their names, as
 * any program would. It ends with 0 only if everything matched.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DocumentVault } from '@document-vault/sdk';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { startServer } from '@document-vault/server';
import type { ReceivedEvent } from '@document-vault/webhook-verify';
import { startReceiver } from './receiver.ts';

const file = process.argv[2] ?? fileURLToPath(new URL('letter.pdf', import.meta.url));
const mimeTypes: Record<string, string> = {
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
};
/** Types of the events that the webhook receives. */
const expectedEvents = ['document.uploaded', 'document.shared', 'document.share.accessed'] as const;
/** Longest wait for the events, in milliseconds. */
const patience = 15_000;

const started = performance.now();
const failures: string[] = [];

function say(subject: string, text: string): void {
  console.log(`${subject.padEnd(10)} ${text}`);
}

let checks = 0;

function check(claim: string, holds: boolean): void {
  checks += 1;
  say(holds ? '  yes' : '  NO', claim);
  if (!holds) failures.push(claim);
}

/** Returns a piece of a file that no database contains by chance, unlike a run of zeros. */
function tellingPiece(bytes: Buffer): Buffer | undefined {
  const length = 48;
  for (let start = 0; start + length <= bytes.length; start += length) {
    const piece = bytes.subarray(start, start + length);
    if (new Set(piece).size >= 16) return piece;
  }
  return undefined;
}

/** Whether a file of a folder contains a piece of plaintext, as bytes or as base64. */
async function contains(folder: string, piece: Buffer): Promise<boolean> {
  const traces = [piece, Buffer.from(piece.toString('base64'))];
  for (const name of await readdir(folder)) {
    const content = await readFile(join(folder, name));
    if (traces.some((trace) => content.includes(trace))) return true;
  }
  return false;
}

const plaintext = await readFile(file);
const folder = await mkdtemp(join(tmpdir(), 'document-vault-demo-'));
// Also after a failure.
process.on('exit', () => rmSync(folder, { recursive: true }));
const server = await startServer({ port: 0, data: folder, logLevel: 'warn' });
if (!server.account) throw new Error('the server has no development account');
say('server', `${server.url}, data in ${folder}`);

const client = new DocumentVault({ baseUrl: server.url, session: {} });
const { email, password } = server.account;
await client.auth.login({ email, password });
say('sign-in', email);

const passphrase = 'correct horse battery staple';
const { recoveryKey } = await client.keyring.create({ passphrase });
say('keyring', `created; recovery key ${recoveryKey.slice(0, 9)}-…`);

const taxes = await client.vaults.create({ name: 'Taxes', category: 'personal' });
say('vault', `${taxes.name} (${taxes.id})`);

const events: ReceivedEvent[] = [];
let onEvent = () => {};
const secret = randomBytes(32).toString('hex');
const receiver = await startReceiver(secret, (event) => {
  events.push(event);
  say('event', `${event.type} ${event.id}, signature verified`);
  onEvent();
});
const webhook = await client.webhooks.create({
  url: receiver.url,
  events: [...expectedEvents],
  secret,
});
say('webhook', `${webhook.id} -> ${webhook.url}`);

const document = await client.documents.upload(plaintext, {
  vaultId: taxes.id,
  fileName: basename(file),
  mimeType: mimeTypes[extname(file)] ?? 'application/octet-stream',
});
say('upload', `${document.fileName}, ${document.sizeBytes.toLocaleString('en')} bytes encrypted`);

const share = await client.shares.create(document.id, { access: 'anyone', maxAccessCount: 1 });
const link = await shareUrl(share, { document });
say('share', `${link.slice(0, link.indexOf('#') + 12)}…, opens ${share.maxAccessCount} time`);

// The recipient has the link alone: neither an account nor the passphrase.
const opened = await openShare(link);
say('open', `${opened.fileName}, ${opened.bytes.length.toLocaleString('en')} bytes decrypted`);

const refusal = await openShare(link).catch((error) => error);
if (events.length < expectedEvents.length) {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patience);
    onEvent = () => {
      if (events.length < expectedEvents.length) return;
      clearTimeout(timer);
      resolve();
    };
  });
}

console.log();
check('the bytes that came back are the bytes that were sent', plaintext.equals(opened.bytes));
check('the share opened once and no more', refusal.code === 'NOT_FOUND');
check(
  `every event arrived and was verified: ${expectedEvents.join(', ')}`,
  expectedEvents.every((type) => events.some((event) => event.type === type)),
);
check('no unexpected event arrived', events.length === expectedEvents.length);
const piece = tellingPiece(plaintext);
if (piece) {
  check('the plaintext is nowhere in the data of the server', !(await contains(folder, piece)));
} else {
  say('  --', 'the plaintext is too plain to be looked for in the data of the server');
}

receiver.close();
await server.close();

const seconds = ((performance.now() - started) / 1000).toFixed(1);
const size = `${plaintext.length.toLocaleString('en')} bytes`;
console.log(
  failures.length === 0
    ? `\n${basename(file)} (${size}) went the whole way in ${seconds} s. Everything matched.`
    : `\n${failures.length} of ${checks} did not hold.`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
