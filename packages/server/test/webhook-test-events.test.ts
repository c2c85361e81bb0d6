import { describe, expect, test } from 'vitest';
import { createAjv } from '../src/contract/ajv.ts';
import { contractDocument } from '../src/contract/contract.ts';
import { invalid } from './support/replies.ts';
import { newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { everyType, listen } from './support/webhook-events.ts';

describe('POST /webhooks/{id}/test', () => {
  test('sends an example of the first event type, signed like every delivery', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const events = ['document.uploaded', 'vault.created'];
    const webhook = await listen({ server, call: developer, events });
    const bystander = await listen({ server, call: developer });
    const tested = await developer('POST', `${webhook.path}/test`);
    expect(tested.status).toBe(201);
    const now = new Date(clock.now()).toISOString();
    expect(tested.body).toEqual({
      id: expect.stringMatching(/^dlv_[0-9a-f]{32}$/),
      webhookId: webhook.id,
      eventId: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      eventType: 'document.uploaded',
      status: 'pending',
      statusCode: null,
      durationMs: null,
      attemptNumber: 0,
      error: null,
      nextAttemptAt: now,
      createdAt: now,
      completedAt: null,
      test: true,
    });
    await server.settled();
    const [request] = webhook.requests;
    expect(request?.headers['x-service-delivery-id']).toBe(tested.body.id);
    expect(request?.headers['x-service-test']).toBe('true');
    expect(await webhook.events()).toMatchObject([
      {
        id: tested.body.eventId,
        type: 'document.uploaded',
        timestamp: now,
        context: { requestId: tested.headers.get('x-request-id'), test: true },
      },
    ]);
    expect(await bystander.events(), 'no other webhook receives it').toEqual([]);
  });

  test('real events have neither X-Service-Test nor context.test', async () => {
    const server = await startTestServer();
    const webhook = await listen({ server, call: server.developer, events: ['vault.created'] });
    await newVault(server.developer);
    await server.settled();
    const [request] = webhook.requests;
    const [event] = await webhook.events();
    expect(event.context).not.toHaveProperty('test');
    expect(request?.headers).not.toHaveProperty('x-service-test');
  });

  test('an event type without subscription returns 400 subscribed and sends nothing', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const webhook = await listen({ server, call: developer, events: ['vault.created'] });
    for (const allowed of [{}, { allowUnsubscribed: false }]) {
      const body = { eventType: 'user.login', ...allowed };
      const refused = await developer('POST', `${webhook.path}/test`, { body });
      expect(refused).toMatchObject(invalid('eventType', 'subscribed'));
      expect(refused.body.error.message).toContain('allowUnsubscribed');
    }
    expect(await webhook.events()).toEqual([]);
    expect((await developer('GET', `${webhook.path}/deliveries`)).body.data).toEqual([]);
  });

  test('with allowUnsubscribed, sends an example of any event type that matches the contract', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const webhook = await listen({ server, call: developer, events: ['vault.created'] });
    const validate = createAjv(contractDocument).compile({
      $ref: 'contract#/components/schemas/Event',
    });
    for (const eventType of everyType) {
      const tested = await developer('POST', `${webhook.path}/test`, {
        body: { eventType, allowUnsubscribed: true },
      });
      expect(tested).toMatchObject({ status: 201, body: { eventType } });
      const [event] = await webhook.events();
      expect(event.type).toBe(eventType);
      expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  test('an unknown event type returns 400 enum', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const webhook = await listen({ server, call: developer });
    const invalidBodies: [object, string, string][] = [
      [{ eventType: 'vault.renamed' }, 'eventType', 'enum'],
      [{ type: 'vault.created' }, 'type', 'additionalProperties'],
    ];
    for (const [body, field, constraint] of invalidBodies) {
      const refused = await developer('POST', `${webhook.path}/test`, { body });
      expect(refused).toMatchObject(invalid(field, constraint));
    }
    expect(await webhook.events()).toEqual([]);
  });

  test('a failed test event is neither counted in the statistics nor retried', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const webhook = await listen({
      server,
      call: developer,
      reply: (response) => {
        response.statusCode = 500;
        response.end();
      },
    });
    const { stats } = (await developer('GET', webhook.path)).body;
    const { id } = (await developer('POST', `${webhook.path}/test`)).body;
    expect(await webhook.events()).toHaveLength(1);
    clock.advance(29 * 24 * 60 * 60 * 1000);
    expect(await webhook.events()).toEqual([]);
    expect((await developer('GET', webhook.path)).body.stats).toEqual(stats);
    const delivery = await developer('GET', `${webhook.path}/deliveries/${id}`);
    const ended = { status: 'failed', attemptNumber: 1, nextAttemptAt: null, test: true };
    expect(delivery.body).toMatchObject(ended);

    await newVault(developer);
    await server.settled();
    expect((await developer('GET', webhook.path)).body.stats).toMatchObject({
      totalDeliveries: 1,
      failedDeliveries: 0,
    });
  });
});
