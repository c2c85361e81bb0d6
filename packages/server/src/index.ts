export { type Clock, TestClock } from './clock.ts';
export { ConfigError, type ConfigInput } from './config.ts';
export type { DevelopmentAccount } from './development-account.ts';
export { type RunningServer, type StartOptions, startServer } from './start.ts';
