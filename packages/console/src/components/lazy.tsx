import type { ComponentChild, FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import { lazy as lazyOnce } from 'preact-iso';
import { common } from '../messages/common.ts';
import { consoleUrl } from '../service/addresses.ts';
import { Button } from './button.tsx';
import { Empty } from './states.tsx';

type Load<Props> = () => Promise<{ readonly default: FunctionComponent<Props> }>;

/**
 * Returns a component whose code is loaded when it is shown for the first time. When that fails, the user can try again.
 *
 * @param frame - puts the failure into a dialog, for a component that is one
 */
export function lazy<Props extends object>(
  load: Load<Props>,
  frame: (failure: ComponentChild, props: Props) => ComponentChild = (failure) => failure,
): FunctionComponent<Props> {
  let Loaded: FunctionComponent<Props> | undefined;
  const Failed: FunctionComponent<Props> = (props) => {
    const [, setAttempts] = useState(0);
    if (Loaded) return <Loaded {...props} />;
    const onRetry = async () => {
      try {
        Loaded = (await load()).default;
      } catch {
        // A later version of the console has other files.
        if (await isReachable()) location.reload();
      }
      setAttempts((count) => count + 1);
    };
    return <>{frame(<NotLoaded onRetry={onRetry} />, props)}</>;
  };
  return lazyOnce<FunctionComponent<Props>>(() => load().catch(() => Failed));
}

function NotLoaded({ onRetry }: { readonly onRetry: () => Promise<void> }) {
  const t = common.value;
  const button = (
    <Button icon="refresh-cw" onClick={() => void onRetry()}>
      {t.retry}
    </Button>
  );
  return (
    <div role="alert">
      <Empty icon="triangle-alert" title={t.failedTitle} action={button}>
        {t.notLoaded}
      </Empty>
    </div>
  );
}

async function isReachable(): Promise<boolean> {
  const { ok } = await fetch(consoleUrl, { method: 'HEAD' }).catch(() => ({ ok: false }));
  return ok;
}
