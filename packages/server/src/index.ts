export type { DevelopmentAccount } from './app/development-account.ts';
export type { RecordedDelivery, RecordedEvent, TestFeatures } from './app/features.ts';
export { type RunningServer, type StartOptions, startServer } from './app/start.ts';
export { ConfigError, type ConfigInput } from './config/config.ts';
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
export { type Clock, type MovableClock, TestClock } from './lib/clock.ts';
