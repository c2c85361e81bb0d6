import { MultiBar, Presets } from 'cli-progress';

/** The progress of one file. */
export interface FileProgress {
  update(phase: string, loaded: number): void;
  end(outcome: string): void;
}

/** The progress of all files. */
export interface Progress {
  /** Begins a file of `size` bytes. */
  begin(name: string, size: number): FileProgress;
  end(): void;
}

/** Draws bars in a terminal. Elsewhere, prints a line for each file. */
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
