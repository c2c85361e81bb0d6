import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refusal } from './support/front-door.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { expectContractual } from './support/webhook-events.ts';

const unlimited = {
  requestsPerMinute: { enterprise: 1_000_000 },
  requestsPerHour: { enterprise: 1_000_000 },
};
const accesses = 200;
const paths = ['/shares', '/api/v1/shares', '/api/v1/documents/share'];

const cap = fc.oneof(
  fc.integer({ min: 1, max: accesses + 50 }),
  fc.constantFrom(1, accesses - 1, accesses, accesses + 1),
);

test('of 200 concurrent accesses, maxAccessCount of them succeed, with one document.share.accessed each', async () => {
  const server = await startTestServer(unlimited);
  const { developer, anonymous } = server;
  const stranger = await server.signUp('stranger@example.com');
  const { id } = await newDocument(developer, (await newVault(developer)).id, 'the ciphertext');
  const callers = [developer, anonymous, stranger.call];
  const reported = async (shareId: string) =>
    (await server.events()).filter(
      (event) =>
        event.type === 'document.share.accessed' &&
        (event.data.object as { shareId: string }).shareId === shareId,
    );

  await fc.assert(
    fc.asyncProperty(cap, async (maxAccessCount) => {
      const share = await newShare(developer, id, { access: 'anyone', maxAccessCount });
      const replies = await Promise.all(
        Array.from({ length: accesses }, (_, index) => {
          const call = callers[index % 3] ?? anonymous;
          return call('GET', `${paths[index % 2 ? 0 : index % 3]}/${share.shareToken}`);
        }),
      );
      const opened = replies.filter(({ status }) => status === 200);
      const refused = replies.filter(({ status }) => status !== 200);
      const expected = Math.min(maxAccessCount, accesses);
      expect(opened).toHaveLength(expected);
      for (const { body } of opened) expect(body.id).toBe(id);
      for (const reply of refused) {
        expect(reply).toMatchObject(refusal('NOT_FOUND', {}));
        expect(JSON.stringify(reply.body)).not.toContain(id);
      }

      const events = await reported(share.id);
      for (const event of events) expectContractual(event);
      const counts = events.map(({ data }) => (data.object as { accessCount: number }).accessCount);
      const requests = events.map(({ context }) => context.requestId);
      expect(counts.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: expected }, (_, index) => index + 1),
      );
      expect(requests.toSorted()).toEqual(
        opened.map(({ headers }) => headers.get('x-request-id')).toSorted(),
      );
      const shares = await developer('GET', `/api/v1/documents/${id}/shares?pageSize=100`);
      const { accessCount, isActive } = shares.body.data.find(
        (other: { id: string }) => other.id === share.id,
      );
      expect({ accessCount, isActive }).toEqual({
        accessCount: expected,
        isActive: maxAccessCount > accesses,
      });
    }),
    { numRuns: 6 },
  );
});

test('accesses to a share that is being revoked return 404 once the revocation has returned', async () => {
  const server = await startTestServer(unlimited);
  const { developer, anonymous } = server;
  const { id } = await newDocument(developer, (await newVault(developer)).id);
  await fc.assert(
    fc.asyncProperty(fc.nat(50), async (place) => {
      const share = await newShare(developer, id, { access: 'anyone' });
      const open = () => anonymous('GET', `/shares/${share.shareToken}`);
      const before = Array.from({ length: place }, open);
      const revoking = developer('DELETE', `/api/v1/documents/${id}/shares/${share.id}`);
      const after = Array.from({ length: 50 - place }, open);
      expect((await revoking).status).toBe(204);
      const late = await Promise.all([open(), open()]);
      for (const reply of late) expect(reply).toMatchObject(refusal('NOT_FOUND'));
      const opened = (await Promise.all([...before, ...after])).filter(
        ({ status }) => status === 200,
      );
      const { data } = (await developer('GET', `/api/v1/documents/${id}/shares`)).body;
      expect(data[0]).toMatchObject({ id: share.id, accessCount: opened.length, isActive: false });
    }),
    { numRuns: 10 },
  );
});
