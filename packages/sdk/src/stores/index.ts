export {
  type CookieAttributes,
  type Cookies,
  cookieTokenStore,
  localStorageTokenStore,
} from './token-stores.ts';
