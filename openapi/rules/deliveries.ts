import { type ServiceError, violation } from './errors.ts';

// Errors of tests and retries of deliveries.

/** The error for a test with an event that the webhook does not subscribe to. */
export function notSubscribed(type: string): ServiceError {
  const message = `eventType must be a type that the webhook subscribes to, and ${type} is not. To send a test of it anyway, set allowUnsubscribed to true.`;
  return violation('eventType', 'subscribed', message);
}

/** The error for a retry of a test. */
export function testNotRetried(): ServiceError {
  return violation('deliveryId', 'retryable', 'A test delivery is not retried. Test again.');
}
