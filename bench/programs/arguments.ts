/** Arguments of every program in this folder. */
import { parseArgs } from 'node:util';

/** Whether a commit waits for the disk; at NORMAL a power cut may undo confirmed ones. */
export type Synchronous = 'NORMAL' | 'FULL';

export interface ProgramArguments {
  readonly port: number;
  readonly folder: string;
  readonly synchronous: Synchronous;
}

export function programArguments(): ProgramArguments {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      folder: { type: 'string', default: '.' },
      synchronous: { type: 'string', default: 'FULL' },
    },
  });
  const synchronous = values.synchronous === 'NORMAL' ? 'NORMAL' : 'FULL';
  return { port: Number(values.port), folder: values.folder, synchronous };
}
