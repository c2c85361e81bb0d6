import type { Config } from '../config/config.ts';
import type { AddressOptions } from '../delivery/targets.ts';

/** Where webhooks may go: the same when one is registered and when it is delivered to. */
export function webhookAddresses(config: Config): AddressOptions {
  return {
    allowPrivate: config.webhookAllowPrivate,
    allowedNetworks: config.webhookAllowedNetworks,
  };
}
