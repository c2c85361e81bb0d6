import { describe, expect, test } from 'vitest';
import { minuteLimitOf, rateLimitOf, refusal } from '../support/front-door.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

const minute = 60_000;

async function startWithShare(limits: object) {
  const server = await startTestServer({ defaultTier: 'free', ...limits });
  const { developer, anonymous } = server;
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id, 'ciphertext');
  const { shareToken } = await newShare(developer, document.id, { access: 'anyone' });
  const opened = await anonymous('GET', `/api/v1/documents/share/${shareToken}`);
  return { ...server, contentUrl: document.contentUrl, ticketUrl: opened.body.contentUrl };
}

describe('requests for contents', () => {
  test('count in the hour alone, also above the limit of the minute', async () => {
    const limits = { requestsPerHour: { free: 100 }, requestsPerMinute: { free: 3 } };
    const { developer, contentUrl } = await startWithShare(limits);
    for (let request = 0; request < 6; request += 1) {
      const reply = await developer('GET', contentUrl);
      expect(reply.status).toBe(200);
      expect(rateLimitOf(reply).remaining).toBe(96 - request);
      expect(minuteLimitOf(reply).remaining).toBe(0);
    }
    expect(await developer('GET', '/api/v1/vaults')).toMatchObject(refusal('RATE_LIMIT_EXCEEDED'));
  });

  test('do not use up the minute of other requests', async () => {
    const limits = { requestsPerHour: { free: 100 }, requestsPerMinute: { free: 3 } };
    const { developer, clock, contentUrl } = await startWithShare(limits);
    clock.advance(minute);
    for (let request = 0; request < 5; request += 1) {
      expect(minuteLimitOf(await developer('GET', contentUrl)).remaining).toBe(3);
    }
    const reply = await developer('GET', '/api/v1/vaults');
    expect(reply.status).toBe(200);
    expect(minuteLimitOf(reply).remaining).toBe(2);
  });

  test('above the limit of the hour return 429', async () => {
    const limits = { requestsPerHour: { free: 5 }, requestsPerMinute: { free: 5 } };
    const { developer, contentUrl } = await startWithShare(limits);
    expect((await developer('GET', contentUrl)).status).toBe(200);
    expect((await developer('GET', contentUrl)).status).toBe(200);
    const reply = await developer('GET', contentUrl);
    expect(reply).toMatchObject(refusal('RATE_LIMIT_EXCEEDED'));
    expect(reply.body.error.retryAfter).toBe(3600);
  });

  test('count as one request for every status', async () => {
    const { developer, contentUrl } = await startWithShare({ requestsPerHour: { free: 100 } });
    const whole = await developer('GET', contentUrl);
    const etag = whole.headers.get('etag') as string;
    const replies = [
      whole,
      await developer('GET', contentUrl, { headers: { range: 'bytes=0-0' } }),
      await developer('GET', contentUrl, { headers: { 'if-none-match': etag } }),
      await developer('GET', contentUrl, { headers: { range: 'bytes=99-' } }),
      await developer('GET', '/api/v1/documents/unknown/content'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 206, 304, 416, 404]);
    const first = rateLimitOf(whole).remaining;
    expect(replies.map((reply) => rateLimitOf(reply).remaining)).toEqual(
      [0, 1, 2, 3, 4].map((count) => first - count),
    );
  });

  test('without credentials count on the address', async () => {
    const limits = { requestsPerHour: { free: 4 }, requestsPerMinute: { free: 4 } };
    const { anonymous, ticketUrl } = await startWithShare(limits);
    const statuses: number[] = [];
    for (let request = 0; request < 4; request += 1) {
      statuses.push((await anonymous('GET', ticketUrl)).status);
    }
    // The opening counted too.
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test('with invalid credentials count in the minute too, so that guessing is limited', async () => {
    const limits = { requestsPerHour: { free: 100 }, requestsPerMinute: { free: 4 } };
    const { withKey, ticketUrl } = await startWithShare(limits);
    const statuses: number[] = [];
    for (let request = 0; request < 5; request += 1) {
      statuses.push((await withKey('rubbish')('GET', ticketUrl)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});
