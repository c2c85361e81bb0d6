import type { Clock } from '@document-vault/sdk';

/** A clock whose sleepers sleep no time at all: it jumps to the end of each sleep and notes it. */
export class JumpingClock implements Clock {
  readonly slept: number[] = [];
  #now: number;

  constructor(now = Date.UTC(2026, 2, 2, 9, 0, 0)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.advance(ms);
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** A clock whose sleepers sleep until the test says so, and that knows how many there are. */
export class StoppedClock implements Clock {
  sleepers = 0;

  now(): number {
    return 0;
  }

  sleep(_ms: number, signal: AbortSignal): Promise<void> {
    this.sleepers++;
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        this.sleepers--;
        resolve();
      });
    });
  }
}

/** A clock whose sleepers sleep until it is released, and then all of them at once. */
export class HeldClock extends JumpingClock {
  release: () => void = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  override async sleep(ms: number): Promise<void> {
    await this.#released;
    await super.sleep(ms);
  }
}
