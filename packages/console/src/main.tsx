import { render } from 'preact';
import { App } from './app.tsx';
import { readSession } from './service/client.ts';
import { watchKeys } from './service/keys.ts';
import './shell/theme.ts';

const root = document.getElementById('console');
if (/^#v\d+\./.test(location.hash)) {
  // Old share links lead to the root, which sends browsers here.
  location.replace(`../share/${location.hash}`);
} else if (root) {
  watchKeys();
  void readSession();
  render(<App />, root);
}
