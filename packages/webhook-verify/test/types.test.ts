import type { IncomingHttpHeaders } from 'node:http';
import { describe, expectTypeOf, test } from 'vitest';
import type {
  EventHandlers,
  EventType,
  InstanceUsage,
  ReceivedEvent,
  UnknownEvent,
  UserLogin,
  Vault,
  VaultCreatedEvent,
  VaultUpdatedEvent,
  Verifier,
  WebhookEvent,
  WebhookEventMap,
} from '../src/index.ts';

/** Compiles only while the cases cover all 22 types. */
function describeEvent(event: ReceivedEvent): string {
  switch (event.type) {
    case 'vault.created':
    case 'vault.updated':
    case 'vault.quota.warning':
    case 'vault.quota.exceeded':
      return event.data.object.name;
    case 'vault.deleted':
      return `${event.data.object.documentCount}`;
    case 'document.uploaded':
    case 'document.updated':
      return event.data.object.fileName;
    case 'document.deleted':
      return event.data.object.vaultId;
    case 'document.shared':
      return event.data.object.permissions.join();
    case 'document.share.accessed':
      return event.data.object.accessedAt;
    case 'document.share.expired':
      return event.data.object.expiresAt;
    case 'consent.granted':
    case 'consent.expired':
    case 'consent.renewed':
      return event.data.object.purpose;
    case 'consent.revoked':
      return event.data.object.reason ?? '';
    case 'user.created':
    case 'user.updated':
      return event.data.object.email;
    case 'user.deleted':
      return event.data.object.id;
    case 'user.login':
      return event.data.object.method;
    case 'instance.health.degraded':
    case 'instance.health.recovered':
      return event.data.object.checks.map(({ name }) => name).join();
    case 'instance.quota.warning':
      return `${event.data.object.percentage}`;
    default:
      return (event satisfies UnknownEvent).type;
  }
}

/** The same without one type. */
function forgetful(
  event: Extract<ReceivedEvent, VaultCreatedEvent | UserLoginEvent | UnknownEvent>,
) {
  switch (event.type) {
    case 'vault.created':
      return event.data.object.name;
    default:
      // @ts-expect-error user.login is not handled
      return (event satisfies UnknownEvent).type;
  }
}
type UserLoginEvent = Extract<WebhookEvent, { type: 'user.login' }>;

describe('the public types', () => {
  test('contain exactly the 22 events', () => {
    expectTypeOf<EventType>().toEqualTypeOf<
      | 'vault.created'
      | 'vault.updated'
      | 'vault.deleted'
      | 'vault.quota.warning'
      | 'vault.quota.exceeded'
      | 'document.uploaded'
      | 'document.updated'
      | 'document.deleted'
      | 'document.shared'
      | 'document.share.accessed'
      | 'document.share.expired'
      | 'consent.granted'
      | 'consent.revoked'
      | 'consent.expired'
      | 'consent.renewed'
      | 'user.created'
      | 'user.updated'
      | 'user.deleted'
      | 'user.login'
      | 'instance.health.degraded'
      | 'instance.health.recovered'
      | 'instance.quota.warning'
    >();
    expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<EventType>();
  });

  test('do not assign a known event to UnknownEvent, so that a switch must cover all', () => {
    type MistakenForUnknown = {
      [Type in EventType]: WebhookEventMap[Type] extends UnknownEvent ? Type : never;
    }[EventType];
    expectTypeOf<MistakenForUnknown>().toBeNever();
    expectTypeOf<Exclude<ReceivedEvent, WebhookEvent>>().toEqualTypeOf<UnknownEvent>();
  });

  test('narrow an event by its type', () => {
    expectTypeOf<
      Extract<ReceivedEvent, { type: 'vault.created' }>
    >().toEqualTypeOf<VaultCreatedEvent>();
    expectTypeOf<VaultCreatedEvent['data']['object']>().toEqualTypeOf<Vault>();
    expectTypeOf<UserLoginEvent['data']['object']>().toEqualTypeOf<UserLogin>();
    expectTypeOf<VaultUpdatedEvent['data']['changes'][number]>().toEqualTypeOf<
      'name' | 'description' | 'category' | 'isActive' | 'keys'
    >();
    expectTypeOf(describeEvent).returns.toBeString();
    expectTypeOf(forgetful).parameter(0).not.toBeNever();
  });

  test('make verify return any event', () => {
    expectTypeOf<Verifier['verify']>().returns.resolves.toEqualTypeOf<
      WebhookEvent | UnknownEvent
    >();
  });

  test('accept the headers in the forms that servers use', () => {
    type Given = Parameters<Verifier['verify']>[1];
    expectTypeOf<Headers>().toExtend<Given>();
    expectTypeOf<IncomingHttpHeaders>().toExtend<Given>();
    expectTypeOf<Record<string, string>>().toExtend<Given>();
    expectTypeOf<Record<string, string[] | undefined>>().toExtend<Given>();
    expectTypeOf<string | null>().toExtend<Given>();
  });

  test('give each handler its own event', () => {
    const handlers: EventHandlers = {
      'vault.created': (event, { secretIndex }) => {
        expectTypeOf(event).toEqualTypeOf<VaultCreatedEvent>();
        expectTypeOf(secretIndex).toBeNumber();
      },
      'instance.quota.warning': async (event) => {
        expectTypeOf(event.data.object).toEqualTypeOf<InstanceUsage>();
      },
      default: (event) => {
        expectTypeOf(event).toEqualTypeOf<ReceivedEvent>();
      },
    };
    expectTypeOf(handlers).toExtend<EventHandlers>();
    // @ts-expect-error there is no such type
    const misspelt: EventHandlers = { 'vault.create': () => {} };
    expectTypeOf(misspelt).toExtend<EventHandlers>();
  });
});
