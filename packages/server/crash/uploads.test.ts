import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DocumentVault } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { ConfigInput } from '../src/config/config.ts';
import { commandJson } from '../test/support/command-line.ts';
import { startS3, useS3Credentials } from '../test/support/contents/s3-server.ts';
import { dataFolder, inDatabase } from '../test/support/data-folder.ts';
import { send } from './http.ts';
import { startMovableServer } from './movable-server.ts';
import { chooseSeed, createRandom, type Random } from './random.ts';
import { report } from './report.ts';
import { type Access, type ServerProcess, startServerProcess } from './server-process.ts';
import { contentOf } from './upload-task.ts';
import { startUploader, type Uploader, type UploadOutcome } from './uploader.ts';

const passphrase = 'correct horse battery staple';
/** For each place of contents. */
const kills = 25;
const mebibyte = 2 ** 20;
/** Sizes of two to four parts of 8 MiB. */
const sizes = { min: 9 * mebibyte, max: 30 * mebibyte };
/** Uploads that no one continues. */
const abandoned = 0.2;
const hour = 60 * 60 * 1000;

interface Content {
  readonly seed: number;
  readonly size: number;
}

interface Scene {
  readonly data: string;
  readonly random: Random;
  /** Environment of the server. */
  readonly environment: Record<string, string>;
  server: { process: ServerProcess; access: Access };
  vaultId: string;
  readonly counts: {
    serverKills: number;
    clientKills: number;
    resumed: number;
    abandoned: number;
  };
  /** Milliseconds of the last upload that was not killed; before the first one a guess. */
  uploadMs: number;
  /** Every content that an upload has begun with, by file name. */
  readonly begun: Map<string, Content>;
  /** Ids of the documents that uploaders have reported. */
  readonly reported: Set<string>;
  /** Ids of the documents that were downloaded and compared. */
  readonly verified: Set<string>;
}

async function setUp(random: Random, environment: Record<string, string>): Promise<Scene> {
  const data = await dataFolder();
  const server = await start(data, environment);
  const vault = await send(server.access, {
    method: 'POST',
    path: '/api/v1/vaults',
    body: { name: 'Uploads' },
  });
  return {
    data,
    random,
    environment,
    server,
    vaultId: vault.body.id,
    counts: { serverKills: 0, clientKills: 0, resumed: 0, abandoned: 0 },
    uploadMs: 1000,
    begun: new Map(),
    reported: new Set(),
    verified: new Set(),
  };
}

async function start(data: string, environment: Record<string, string>): Promise<Scene['server']> {
  const process = startServerProcess(data, environment);
  return { process, access: await process.listening };
}

const killsOf = ({ counts }: Scene) => counts.serverKills + counts.clientKills;

/** Uploads a document, through as many kills as happen. Some uploads are left unfinished. */
async function uploadThroughKills(scene: Scene, seed: number): Promise<void> {
  const { random, counts, data, vaultId } = scene;
  const content = { seed, size: sizes.min + random.below(sizes.max - sizes.min) };
  scene.begun.set(`upload ${seed}`, content);
  const checkpointFile = join(data, `upload-${seed}.json`);
  for (let attempt = 0; ; attempt++) {
    const { access } = scene.server;
    const task = { ...access, ...content, vaultId, passphrase, checkpointFile };
    const outcome = await runAttempt(scene, startUploader(task));
    await expectOnlyWhole(scene);
    if (outcome && 'id' in outcome) {
      if (attempt > 0) counts.resumed += 1;
      scene.reported.add(outcome.id);
      expect(scene.verified).toContain(outcome.id);
      return;
    }
    if (random.happens(abandoned)) {
      counts.abandoned += 1;
      return;
    }
  }
}

/** Kills the client or the server at any moment of an upload, until there were enough kills. */
async function runAttempt(scene: Scene, uploader: Uploader): Promise<UploadOutcome> {
  const { random, counts } = scene;
  await uploader.began;
  const began = performance.now();
  const ended = uploader.outcome.then(() => true);
  const target = killsOf(scene) < kills ? random.pick(['server', 'client'] as const) : undefined;
  const moment = wait(random.below(scene.uploadMs * 1.2)).then(() => false);
  if (!target || (await Promise.race([ended, moment]))) {
    const outcome = await uploader.outcome;
    scene.uploadMs = performance.now() - began;
    return outcome;
  }
  if (target === 'client') {
    counts.clientKills += 1;
    return uploader.kill();
  }
  counts.serverKills += 1;
  await scene.server.process.kill();
  const outcome = await uploader.outcome;
  if (outcome && 'failure' in outcome) expect(outcome.failure).toMatch(/^ConnectionError: /);
  scene.server = await start(scene.data, scene.environment);
  return outcome;
}

/** Downloads every listed document that was not compared yet: each is whole, and each reported one is there. */
async function expectOnlyWhole({ server: { access }, begun, reported, verified }: Scene) {
  const client = new DocumentVault({ baseUrl: access.url, apiKey: access.apiKey });
  const cipher = await createCipher({ passphrase });
  const listed = new Map<string, string>();
  for await (const { id, fileName } of client.documents.list()) listed.set(fileName, id);
  const ids = new Set(listed.values());
  expect([...reported].filter((id) => !ids.has(id))).toEqual([]);
  for (const [fileName, id] of listed) {
    const content = begun.get(fileName);
    if (!content) throw new Error(`${fileName} was not uploaded`);
    if (verified.has(id)) continue;
    const { bytes } = await client.documents.download(id, { cipher });
    const expected = contentOf(content.seed, content.size);
    expect(Buffer.from(bytes).equals(Buffer.from(expected)), fileName).toBe(true);
    verified.add(id);
  }
  expect(ids).toEqual(verified);
}

async function expectSound({ data, environment }: Scene): Promise<void> {
  const doctor = ['doctor', '--contents', '--data', data];
  expect(await commandJson(doctor, { env: environment })).toMatchObject({ ok: true });
}

/** Rows of contents that belong to no document, or to an attempt at a part that did not count. */
const leftovers = `
  SELECT (SELECT COUNT(*) FROM uploads) + (SELECT COUNT(*) FROM content_erasures)
    + (SELECT COUNT(*) FROM content_parts
        WHERE digest IS NULL OR document_id NOT IN (SELECT id FROM documents))
    + (SELECT COUNT(*) FROM document_contents
        WHERE document_id NOT IN (SELECT id FROM documents)
          OR attempt <> 0 AND attempt NOT IN (SELECT number FROM content_parts))`;

/** Lets days pass: what no one has finished is removed. */
async function sweep({ data }: Scene, options: ConfigInput = {}): Promise<void> {
  const server = await startMovableServer(data, options);
  const left = () => inDatabase(data, (database) => database.prepare(leftovers).pluck().get());
  const leftLater = async () => {
    await server.advance(12 * hour);
    return left();
  };
  await expect.poll(leftLater, { timeout: 60_000, interval: 500 }).toBe(0);
  await server.stop();
}

/** Uploads until there were enough kills, and the last upload has ended. */
async function uploadAndKill(environment: Record<string, string>): Promise<Scene> {
  const seed = chooseSeed();
  report('seed', seed);
  const scene = await setUp(createRandom(seed), environment);
  for (let upload = 1; killsOf(scene) < kills; upload++) {
    await uploadThroughKills(scene, seed + upload);
  }
  await uploadThroughKills(scene, seed);
  await expectOnlyWhole(scene);
  await scene.server.process.stop();
  await expectSound(scene);
  report('figures', { ...scene.counts, documents: scene.verified.size });
  return scene;
}

test('every upload through kills of server and client arrives whole or is swept, with contents in the database', {
  timeout: 900_000,
}, async () => {
  const scene = await uploadAndKill({});
  await sweep(scene);
  await expectSound(scene);
});

test('every upload through kills of server and client arrives whole or is swept, with contents in S3', {
  timeout: 900_000,
}, async () => {
  useS3Credentials();
  const s3 = await startS3();
  onTestFinished(() => s3.close());
  const scene = await uploadAndKill({
    DOCUMENT_VAULT_CONTENTS: `s3://${s3.bucket}`,
    DOCUMENT_VAULT_CONTENTS_ENDPOINT: s3.endpoint,
  });
  await sweep(scene, {
    contents: { bucket: s3.bucket, prefix: '' },
    contentsEndpoint: s3.endpoint,
    contentsGrace: 0,
  });
  await expectSound(scene);
  // A kill after S3 has begun an upload and before its id is stored leaves the upload, without parts.
  expect(await s3.uploads()).toBeLessThanOrEqual(scene.counts.serverKills);
  const objects = await s3.objects();
  expect(objects.size).toBe(scene.verified.size);
  expect(await s3.bytes()).toBe([...objects.values()].reduce((sum, size) => sum + size, 0));
});
