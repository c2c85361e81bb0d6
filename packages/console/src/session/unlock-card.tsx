import { lazy } from '../components/lazy.tsx';
import { Loading, Note } from '../components/states.tsx';
import { isSecure } from '../service/addresses.ts';
import { accountKeys, revision } from '../service/keys.ts';
import { sessionTexts } from './messages.ts';

const UnlockForms = lazy(() => import('./unlock-forms.tsx'));

/** Asks for a secret of the keyring once the keys are known to be missing. Empty while the console is unlocked. */
export function UnlockCard() {
  if (accountKeys.value) return null;
  if (!isSecure) return <Note kind="warning">{sessionTexts.value.insecure}</Note>;
  return accountKeys.value === undefined ? <Loading /> : <UnlockForms key={revision.value} />;
}
