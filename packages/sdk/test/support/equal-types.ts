/** Resolves intersections and references, so that only the shape counts. */
type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T;

/** Whether two types have the same shape. */
export type Equal<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** Compiles only when the type is `never`. */
export function expectNever<_T extends never>(): void {}
