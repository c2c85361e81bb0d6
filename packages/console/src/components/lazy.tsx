import type { FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import { lazy as lazyOnce } from 'preact-iso';
import { common } from '../messages/common.ts';
import { consoleUrl } from '../service/addresses.ts';
import { Button } from './button.tsx';
import { Page } from './page.tsx';
import { Empty } from './states.tsx';

type Load<Props> = () => Promise<{ readonly default: FunctionComponent<Props> }>;

interface Retriable {
  readonly onRetry: () => void;
}

/**
 * Returns a component whose code is loaded when it is shown for the first time.
 *
 * @param Failure - shown when the code cannot be loaded
 */
export function lazy<Props extends object>(
  load: Load<Props>,
  Failure: FunctionComponent<NoInfer<Props> & Retriable> = NotLoaded,
): FunctionComponent<Props> {
  let Loaded: FunctionComponent<Props> | undefined;
  const Retried: FunctionComponent<Props> = (props) => {
    const [, setAttempts] = useState(0);
    if (Loaded) return <Loaded {...props} />;
    const retry = async () => {
      try {
        Loaded = (await load()).default;
      } catch {
        // A later version of the console has other files.
        if (await isReachable()) location.reload();
      }
      setAttempts((count) => count + 1);
    };
    return <Failure {...props} onRetry={() => void retry()} />;
  };
  return lazyOnce<FunctionComponent<Props>>(() => load().catch(() => Retried));
}

/** Returns a screen whose code is loaded when it is shown for the first time. */
export function lazyScreen(load: Load<object>): FunctionComponent<object> {
  return lazy(load, ({ onRetry }) => (
    <Page title={common.value.failedTitle}>
      <div role="alert">
        <p>{common.value.notLoaded}</p>
      </div>
      <span>
        <RetryButton onRetry={onRetry} />
      </span>
    </Page>
  ));
}

/** In the place of a part of a screen whose code could not be loaded. */
export function NotLoaded({ onRetry }: Retriable) {
  const t = common.value;
  return (
    <div role="alert">
      <Empty icon="triangle-alert" title={t.failedTitle} action={<RetryButton onRetry={onRetry} />}>
        {t.notLoaded}
      </Empty>
    </div>
  );
}

function RetryButton({ onRetry }: Retriable) {
  return (
    <Button icon="refresh-cw" onClick={onRetry}>
      {common.value.retry}
    </Button>
  );
}

async function isReachable(): Promise<boolean> {
  const { ok } = await fetch(consoleUrl, { method: 'HEAD' }).catch(() => ({ ok: false }));
  return ok;
}
