export { indexedDbCheckpoints } from './checkpoints.ts';
export {
  type CookieAttributes,
  type Cookies,
  cookieTokenStore,
  localStorageTokenStore,
} from './token-stores.ts';
