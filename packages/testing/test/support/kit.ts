import { createTestVault, type TestVault } from '@document-vault/testing';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { JumpingClock } from '../../../sdk/test/support/clock.ts';

/** A test vault whose handlers answer what the tests of a file send. */
export function useTestVault(): { readonly service: TestVault; readonly clock: JumpingClock } {
  const clock = new JumpingClock();
  const service = createTestVault({ baseUrl: 'https://vault.example.com', clock });
  const server = setupServer(...service.handlers);
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
  afterEach(() => service.reset());
  afterAll(() => server.close());
  return { service, clock };
}
