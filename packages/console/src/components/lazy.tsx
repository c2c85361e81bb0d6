import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { lazy as lazyOnce } from 'preact-iso';
import { common } from '../messages/common.ts';
import { consoleUrl } from '../service/addresses.ts';
import { Button } from './button.tsx';
import { Page } from './page.tsx';
import { Empty, Loading } from './states.tsx';

type Load<Props> = () => Promise<{ readonly default: FunctionComponent<Props> }>;

interface NotLoadedProps {
  /** Whether the server could be reached: another try fails then, too. */
  readonly isReachable: boolean;
  readonly onRetry: () => void;
}

/**
 * Returns a component whose code is loaded when it is shown for the first time. Code that could not be loaded is tried
 * again each time that the component is shown.
 *
 * @param Failure - shown when another try has failed, too
 */
export function lazy<Props extends object>(
  load: Load<Props>,
  Failure: FunctionComponent<NoInfer<Props> & NotLoadedProps> = NotLoaded,
): FunctionComponent<Props> {
  let Loaded: FunctionComponent<Props> | undefined;
  const Retried: FunctionComponent<Props> = (props) => {
    const [attempt, setAttempt] = useState(0);
    const [isReachable, setReachable] = useState<boolean>();
    useEffect(() => {
      let isShown = true;
      setReachable(undefined);
      void reload().then((reached) => {
        if (isShown) setReachable(reached);
      });
      return () => {
        isShown = false;
      };
    }, [attempt]);
    if (Loaded) return <Loaded {...props} />;
    if (isReachable === undefined) return <Loading />;
    return <Failure {...props} {...{ isReachable }} onRetry={() => setAttempt(attempt + 1)} />;
  };

  /** Tries again, and returns whether the server could be reached. */
  async function reload(): Promise<boolean> {
    try {
      Loaded = (await load()).default;
      return true;
    } catch (error) {
      const isReachable = await canReach(consoleUrl);
      if (isReachable) reportError(error);
      return isReachable;
    }
  }

  return lazyOnce<FunctionComponent<Props>>(() => load().catch(() => Retried));
}

/** Returns a screen whose code is loaded when it is shown for the first time. */
export function lazyScreen(load: Load<object>): FunctionComponent<object> {
  return lazy(load, (props) => (
    <Page title={common.value.failedTitle}>
      <div role="alert">
        <p>{wayOut(props)}</p>
      </div>
      <span>
        <WayOutButton {...props} />
      </span>
    </Page>
  ));
}

/** In the place of a part of a screen whose code could not be loaded. */
export function NotLoaded(props: NotLoadedProps) {
  return (
    <div role="alert">
      <Empty
        icon="triangle-alert"
        title={common.value.failedTitle}
        action={<WayOutButton {...props} />}
      >
        {wayOut(props)}
      </Empty>
    </div>
  );
}

/** A later version of the console has other files. Some browsers also keep a failure until the page is reloaded. */
function wayOut({ isReachable }: NotLoadedProps): string {
  return isReachable ? common.value.outdated : common.value.notLoaded;
}

function WayOutButton({ isReachable, onRetry }: NotLoadedProps) {
  const t = common.value;
  return (
    <Button icon="refresh-cw" onClick={isReachable ? () => location.reload() : onRetry}>
      {isReachable ? t.reload : t.retry}
    </Button>
  );
}

async function canReach(url: URL): Promise<boolean> {
  const signal = AbortSignal.timeout(10_000);
  const { ok } = await fetch(url, { method: 'HEAD', signal }).catch(() => ({ ok: false }));
  return ok;
}
