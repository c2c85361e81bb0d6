import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, lazy as lazyOnce } from 'preact-iso';
import { common } from '../messages/common.ts';
import { explainUnreachable } from '../messages/errors.ts';
import { consoleUrl } from '../service/addresses.ts';
import { isLasting } from '../service/client.ts';
import { Button } from './button.tsx';
import { Page } from './page.tsx';
import { Empty, Loading } from './states.tsx';

type Load<Props> = () => Promise<{ readonly default: FunctionComponent<Props> }>;

/** Why code could not be loaded: without connection, or although the server responds. */
type Reason = 'unreachable' | 'missing';

interface State {
  /** Undefined until the first retry has failed. */
  readonly reason: Reason | undefined;
  /** Whether a retry is on its way. */
  readonly isBusy: boolean;
}

interface NotLoadedProps extends State {
  readonly onRetry: () => void;
}

/**
 * Returns a component whose code is loaded when it is shown for the first time. Code that could not be loaded is
 * requested again each time that the component is shown.
 *
 * @param Failure - shown while the code is requested again, and after that has failed
 */
export function lazy<Props extends object>(
  load: Load<Props>,
  Failure: FunctionComponent<NoInfer<Props> & NotLoadedProps> = NotLoaded,
): FunctionComponent<Props> {
  const Part = lazyInRouter(load, Failure);
  return (props) => (
    <ErrorBoundary>
      <Part {...props} />
    </ErrorBoundary>
  );
}

/** As {@link lazy}, for components around which something waits for their code, such as the router. */
function lazyInRouter<Props extends object>(
  load: Load<Props>,
  Failure: FunctionComponent<NoInfer<Props> & NotLoadedProps>,
): FunctionComponent<Props> {
  let Loaded: FunctionComponent<Props> | undefined;

  /** Requests the code again. Returns undefined when it is loaded. */
  async function retry(): Promise<Reason | undefined> {
    if (!(await isReachable())) return 'unreachable';
    try {
      Loaded = (await load()).default;
      return undefined;
    } catch (error) {
      reportError(error);
      return 'missing';
    }
  }

  const Retried: FunctionComponent<Props> = (props) => {
    const [attempt, setAttempt] = useState(0);
    const [state, setState] = useState<State>({ reason: undefined, isBusy: true });
    useEffect(() => {
      if (Loaded) return;
      let isShown = true;
      setState((before) => ({ ...before, isBusy: true }));
      void retry().then((next) => {
        if (isShown) setState({ reason: next, isBusy: false });
      });
      return () => {
        isShown = false;
      };
    }, [attempt]);
    if (Loaded) return <Loaded {...props} />;
    return <Failure {...props} {...state} onRetry={() => setAttempt(attempt + 1)} />;
  };

  return lazyOnce<FunctionComponent<Props>>(() => load().catch(() => Retried));
}

/** Returns a screen whose code is loaded when it is shown for the first time. */
export function lazyScreen(load: Load<object>): FunctionComponent<object> {
  return lazyInRouter(load, (props) => {
    if (!props.reason) return <Loading />;
    return (
      <Page title={common.value.failedTitle}>
        <div role="alert">
          <p>{wayOut(props.reason)}</p>
        </div>
        <WayOutButtons {...props} />
      </Page>
    );
  });
}

/** In the place of a part of a screen whose code could not be loaded. */
export function NotLoaded(props: NotLoadedProps) {
  if (!props.reason) return <Loading />;
  return (
    <div role="alert">
      <Empty
        icon="triangle-alert"
        title={common.value.failedTitle}
        action={<WayOutButtons {...props} />}
      >
        {wayOut(props.reason)}
      </Empty>
    </div>
  );
}

/** A later version of the console has other files. Some browsers also keep a failure until the page is reloaded. */
function wayOut(reason: Reason): string {
  return reason === 'missing' ? beforeReload(common.value.outdated) : explainUnreachable();
}

/** Adds to an advice to reload the page what the user has to do afterwards. */
export function beforeReload(advice: string): string {
  return isLasting() ? advice : `${advice} ${common.value.afterReload}`;
}

function WayOutButtons({ reason, isBusy, onRetry }: NotLoadedProps) {
  const t = common.value;
  return (
    <span class="row">
      <Button icon="refresh-cw" isBusy={isBusy} onClick={onRetry}>
        {t.retry}
      </Button>
      {reason === 'missing' && (
        <Button kind="primary" onClick={() => location.reload()}>
          {t.reload}
        </Button>
      )}
    </span>
  );
}

async function isReachable(): Promise<boolean> {
  const signal = AbortSignal.timeout(10_000);
  const { ok } = await fetch(consoleUrl, { method: 'HEAD', signal }).catch(() => ({ ok: false }));
  return ok;
}
