import { MultiBar, Presets } from 'cli-progress';

/** How one file is coming along. */
export interface FileProgress {
  update(phase: string, loaded: number): void;
  end(outcome: string): void;
}

/** How the whole is coming along. */
export interface Progress {
  /** Begins a file of `size` bytes. */
  begin(name: string, size: number): FileProgress;
  end(): void;
}

/** Bars in a terminal, a line for each file elsewhere. */
export function createProgress(files: number): Progress {
  return process.stderr.isTTY ? drawBars(files) : printLines();
}

function drawBars(files: number): Progress {
  const bars = new MultiBar(
    { format: '{bar} {percentage}% {phase} {name}', clearOnComplete: true, hideCursor: true },
    Presets.shades_grey,
  );
  const overall = bars.create(files, 0, { phase: 'in all,', name: `${files} files` });
  return {
    begin(name, size) {
      // A bar without a length would be full from the start.
      const bar = bars.create(Math.max(size, 1), 0, { phase: 'waiting', name });
      return {
        update: (phase, loaded) => bar.update(loaded, { phase }),
        end() {
          bars.remove(bar);
          overall.increment();
        },
      };
    },
    end: () => bars.stop(),
  };
}

function printLines(): Progress {
  return {
    begin: (name) => ({
      update() {},
      end: (outcome) => console.error(`${outcome} ${name}`),
    }),
    end() {},
  };
}
