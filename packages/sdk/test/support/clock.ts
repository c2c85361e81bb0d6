import type { Clock } from '@document-vault/sdk';

/** A clock that jumps to the end of each sleep instead of waiting, and records the sleeps. */
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

/** A clock at 0 whose sleeps end only by their signal. It counts the pending sleeps. */
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

/** A clock whose sleeps last until `release`. */
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
