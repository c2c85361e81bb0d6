import { runAll } from '../suite/run.ts';
import { callAsTab } from '../suite/tabs.ts';

Object.assign(globalThis, { conformance: { runAll, callAsTab } });
