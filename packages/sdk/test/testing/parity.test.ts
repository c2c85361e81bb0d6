import { createTestVault } from '@document-vault/sdk/testing';
import { setupServer } from 'msw/node';
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../server/src/clock.ts';
import { startTestServer } from '../../../server/test/server.ts';
import { checkedFetch } from './checked-fetch.ts';
import { comparable, Reporter, type Step } from './scenario.ts';
import * as stories from './stories.ts';

type Story = (report: Reporter, now: () => number) => Promise<void>;

async function atTheService(story: Story): Promise<readonly Step[]> {
  const clock = new TestClock();
  const server = await startTestServer({ clock, enterpriseRequestsPerMinute: 100_000 });
  const advance = (milliseconds: number) => clock.advance(milliseconds);
  const report = new Reporter({ baseUrl: server.url, fetch, advance });
  await story(report, () => clock.now());
  return report.steps;
}

async function atTheKit(story: Story): Promise<readonly Step[]> {
  const clock = new TestClock();
  const { handlers, baseUrl } = createTestVault({ baseUrl: 'http://vault.example', clock });
  const server = setupServer(...handlers);
  server.listen({ onUnhandledFrame: 'error' });
  try {
    const advance = (milliseconds: number) => clock.advance(milliseconds);
    const report = new Reporter({ baseUrl, fetch: checkedFetch(), advance });
    await story(report, () => clock.now());
    return report.steps;
  } finally {
    server.close();
  }
}

describe('the kit answers what the service answers', () => {
  it.each(
    Object.entries(stories).filter(
      (entry): entry is [string, Story] => typeof entry[1] === 'function',
    ),
  )('%s', async (_, story) => {
    const expected = await atTheService(story);
    const answered = await atTheKit(story);
    expect(answered.length).toBeGreaterThan(10);
    expect(comparable(answered)).toEqual(comparable(expected));
  });
});
