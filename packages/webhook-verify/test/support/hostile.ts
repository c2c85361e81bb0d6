/** A proxy handler that throws a non-error at every use. */
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
