export type { DevelopmentAccount } from './app/development-account.ts';
export type { RecordedDelivery, RecordedEvent, TestFeatures } from './app/features.ts';
export { type RunningServer, type StartOptions, startServer } from './app/start.ts';
export { ConfigError, type ConfigInput } from './config/config.ts';
export type * from './faults/fault-kinds.ts';
export { TestFeatureError } from './faults/fault-kinds.ts';
export { type Clock, type MovableClock, TestClock } from './lib/clock.ts';
