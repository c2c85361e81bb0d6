/** Every use of a proxy with this handler throws something that is not even an error. */
export const throwingHandler = {
  get: refuse,
  has: refuse,
  getPrototypeOf: refuse,
  ownKeys: refuse,
} satisfies ProxyHandler<object>;

function refuse(): never {
  throw 'hands off';
}

export function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
