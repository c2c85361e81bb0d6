import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { Button } from './components/button.tsx';
import { Page } from './components/page.tsx';
import { Empty, Loading } from './components/states.tsx';
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
  const [isOutdated, setOutdated] = useState(false);
  return (
    <Layout>
      {isOutdated ? (
        <Outdated />
      ) : (
        // A chunk that is missing: the server has a newer console.
        <ErrorBoundary onError={() => setOutdated(true)}>
          <Router>
            {[
              ...routes.map(({ path, screen }) => (
                <Route
                  key={path}
                  path={pathTo(path)}
                  component={screen as unknown as FunctionComponent}
                />
              )),
              <Route key="first" path={consoleUrl.pathname} component={First} />,
              <Route key="other" default component={NotFound} />,
            ]}
          </Router>
        </ErrorBoundary>
      )}
    </Layout>
  );
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

function Outdated() {
  const t = shellTexts.value;
  return (
    <Empty
      icon="refresh-cw"
      title={t.updated}
      action={<Button onClick={() => location.reload()}>{t.reload}</Button>}
    />
  );
}
