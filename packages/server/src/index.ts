export { type Clock, type MovableClock, TestClock } from './clock.ts';
export { ConfigError, type ConfigInput } from './config/config.ts';
export type { DevelopmentAccount } from './development-account.ts';
export {
  type Fault,
  type FaultOrder,
  type Faults,
  type FaultTarget,
  TestFeatureError,
} from './fault-injection.ts';
export { type RunningServer, type StartOptions, startServer } from './start.ts';
export type { RecordedDelivery, RecordedEvent, TestFeatures } from './test-features.ts';
