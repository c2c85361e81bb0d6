/** Deliveries that wait: webhooks that are switched off while events happen. */
import { setTimeout as delay } from 'node:timers/promises';
import { newVault } from './data.ts';
import { sendAll } from './load.ts';
import { developmentAccount } from './peers/document-vault.ts';
import type { Place } from './peers/peer.ts';
import { contractPaths, type Target } from './scenarios.ts';

export interface BacklogOptions {
  /** Of the receiver. */
  readonly url: string;
  readonly webhooks: number;
  /** All webhooks together. */
  readonly deliveries: number;
}

export interface Backlog {
  /** Deliveries. */
  readonly size: number;
  /** Switches the webhooks on. */
  release(): Promise<void>;
  /** Deliveries that the server itself takes for unfinished, once it has recorded what ended. */
  pending(): Promise<number>;
  /** Deletes the webhooks. */
  remove(): Promise<void>;
}

/** The server of the development account, without vaults. */
export async function open(url: string, { folder }: Place): Promise<Target> {
  const { apiKey } = await developmentAccount(url, folder);
  return { url, headers: { 'x-api-key': apiKey }, vaultIds: [], paths: contractPaths };
}

export async function makeBacklog(
  target: Target,
  { url, webhooks, deliveries }: BacklogOptions,
): Promise<Backlog> {
  const ids: string[] = [];
  for (let number = 0; number < webhooks; number += 1) {
    const body = { url, events: ['vault.created'], secret: 'bench-secret-'.repeat(3) };
    const { id } = await call<{ id: string }>(target, '', 'POST', { ...body, active: false });
    ids.push(id);
  }
  const vaults = Math.ceil(deliveries / webhooks);
  const requests = Array.from({ length: vaults }, (_, index) => ({
    method: 'POST' as const,
    path: contractPaths.vaults,
    body: JSON.stringify(newVault(index)),
  }));
  const { headers } = target;
  await sendAll({ url: target.url, headers, requests, status: 201, connections: 50 });

  return {
    size: vaults * webhooks,
    async release() {
      for (const id of ids) await call(target, `/${id}`, 'PUT', { active: true });
    },
    async pending() {
      for (let look = 0; ; look += 1) {
        let open = 0;
        for (const id of ids) open += await unfinished(target, id);
        if (open === 0 || look === 10) return open;
        await delay(100);
      }
    },
    async remove() {
      for (const id of ids) await call(target, `/${id}`, 'DELETE');
    },
  };
}

async function unfinished(target: Target, webhookId: string): Promise<number> {
  let count = 0;
  for (const status of ['pending', 'retrying']) {
    const page = await call<{ pagination: { totalCount: number } }>(
      target,
      `/${webhookId}/deliveries?status=${status}&pageSize=1`,
      'GET',
    );
    count += page.pagination.totalCount;
  }
  return count;
}

async function call<T>(
  { url, headers }: Target,
  path: string,
  method: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${url}/api/v1/webhooks${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: body ? JSON.stringify(body) : null,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} webhooks${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
