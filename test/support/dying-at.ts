/** Ports of a process that is killed: their call of that number, counted over all, and later ones fail without effect. */
export function dyingAt<T extends Readonly<Record<string, object>>>(call: number, ports: T): T {
  let calls = 0;
  const dying = (port: object): object =>
    new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: readonly unknown[]) => {
          calls += 1;
          return calls >= call ? Promise.reject(new Error('killed')) : Reflect.apply(method, target, args);
        };
      },
    });
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, dying(port)])) as T;
}
