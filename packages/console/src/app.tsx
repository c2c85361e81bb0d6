import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { Button } from './components/button.tsx';
import { beforeReload } from './components/lazy.tsx';
import { Page } from './components/page.tsx';
import { Loading } from './components/states.tsx';
import { common } from './messages/common.ts';
import { firstPath, routes } from './routes.ts';
import { consoleUrl, pathTo } from './service/addresses.ts';
import { user } from './service/client.ts';
import { Welcome } from './session/sign-in.tsx';
import { Layout } from './shell/layout.tsx';
import { shellTexts } from './shell/messages.ts';
import { ShortcutHelp } from './shell/shortcuts.tsx';
import { Toasts } from './shell/toasts.tsx';

/** The console: the page of the login, or the screens. */
export function App() {
  return (
    <LocationProvider scope={consoleUrl.pathname}>
      <Content />
      <ShortcutHelp />
      <Toasts />
    </LocationProvider>
  );
}

function Content() {
  if (user.value === undefined) return <Loading />;
  // Another account, which another tab can sign in, gets new screens: the present ones show data of this one.
  return user.value ? <Screens key={user.value.userId} /> : <Welcome />;
}

function Screens() {
  return (
    <Layout>
      <Guarded>
        <Router>
          {[
            ...routes.map(({ path, screen }) => (
              <Route key={path} path={pathTo(path)} component={screen} />
            )),
            <Route key="first" path={consoleUrl.pathname} component={First} />,
            <Route key="other" default component={NotFound} />,
          ]}
        </Router>
      </Guarded>
    </Layout>
  );
}

/** Shows its children until one of them has a fault, and shows them again at another address. */
function Guarded({ children }: { readonly children: ComponentChildren }) {
  const { url } = useLocation();
  const brokenUrl = useRef<string | undefined>(undefined);
  const [error, reset] = useErrorBoundary((cause) => {
    brokenUrl.current = url;
    reportError(cause);
  });
  useEffect(() => {
    // A fault of the first rendering at this address precedes this effect. A reset would hide it.
    if (brokenUrl.current !== url) reset();
  }, [url]);
  return error === undefined ? children : <Broken />;
}

/** Leads from the address of the console to its first screen. */
function First() {
  const { route } = useLocation();
  useEffect(() => route(pathTo(firstPath), true), [route]);
  return null;
}

function NotFound() {
  const t = shellTexts.value;
  return (
    <Page title={t.notFoundTitle}>
      <p>{t.notFound}</p>
      <span>
        <a class="button" href={pathTo(firstPath)}>
          {t.toVaults}
        </a>
      </span>
    </Page>
  );
}

/** In the place of a screen that has a fault. The other screens can still be opened. */
function Broken() {
  const t = shellTexts.value;
  return (
    <Page title={t.broken}>
      <div role="alert">
        <p>{beforeReload(t.brokenWay)}</p>
      </div>
      <span>
        <Button icon="refresh-cw" onClick={() => location.reload()}>
          {common.value.reload}
        </Button>
      </span>
    </Page>
  );
}
