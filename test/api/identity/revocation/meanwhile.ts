import type { IdentityDeps } from '../../../../api/identity/deps.ts';

/**
 * Does `work` at the very moment at which the next call of a port's method begins, or has ended: what happens between
 * two steps of a request is then no matter of luck. The call goes on afterwards, and the calls that `work` makes and
 * those after it are left alone.
 */
export function meanwhile<K extends keyof IdentityDeps>(
  deps: IdentityDeps,
  port: K,
  method: keyof IdentityDeps[K] & string,
  work: () => Promise<unknown>,
  moment: 'before' | 'after' = 'before',
): void {
  const real = deps[port];
  const call = real[method] as (...args: unknown[]) => Promise<unknown>;
  const wrapped = async (...args: unknown[]): Promise<unknown> => {
    Object.assign(deps, { [port]: real });
    if (moment === 'before') await work();
    const result = await call(...args);
    if (moment === 'after') await work();
    return result;
  };
  Object.assign(deps, { [port]: { ...real, [method]: wrapped } });
}
