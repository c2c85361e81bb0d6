import { lazy } from '../components/lazy.tsx';
import { Loading, Note } from '../components/states.tsx';
import { isSecure } from '../service/addresses.ts';
import { accountKeys } from '../service/keys.ts';
import { sessionTexts } from './messages.ts';

const Locked = lazy(() => import('./locked.tsx'));

/** What asks for the secret; nothing when the console is unlocked. */
export function Unlock() {
  if (accountKeys.value) return null;
  if (!isSecure) return <Note kind="warning">{sessionTexts.value.insecure}</Note>;
  return accountKeys.value === undefined ? <Loading /> : <Locked />;
}
