export { type Clock, type MovableClock, TestClock } from './clock.ts';
export { ConfigError, type ConfigInput } from './config/config.ts';
export type { DevelopmentAccount } from './development-account.ts';
export {
  type DelayOptions,
  type ErrorOptions,
  type ExpireTokensOptions,
  type Fault,
  type FaultKinds,
  type FaultOperation,
  type FaultOptions,
  type NetworkErrorOptions,
  type RateLimitOptions,
  TestFeatureError,
} from './faults/fault-kinds.ts';
export { type RunningServer, type StartOptions, startServer } from './start.ts';
export type { RecordedDelivery, RecordedEvent, TestFeatures } from './testing/features.ts';
