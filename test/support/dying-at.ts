/** Ports of a process that is killed: their call of that number, counted over all, and later ones fail without effect. */
const WRITES_NOTHING = /^(find|list|read|since|isRevoked|countWith)/;

/** The moment of a kill: before the write of that number, or after it took effect and before anybody heard of it. */
export interface Kill {
  readonly write: number;
  readonly moment: 'before' | 'after';
}

/** The same for writes alone, and without effect from then on. `died` tells whether it came so far. */
export function dyingAtWrite<T extends Readonly<Record<string, object>>>(kill: Kill, ports: T) {
  let writes = 0;
  let died = false;
  const isKilledNow = (): boolean => {
    writes += 1;
    died = writes === kill.write;
    return died;
  };
  const dying = (port: object): object =>
    new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...args: readonly unknown[]) => {
          if (died) throw new Error('killed');
          const isLast = !WRITES_NOTHING.test(String(name)) && isKilledNow();
          const result: unknown = isLast && kill.moment === 'before' ? null : await Reflect.apply(method, target, args);
          if (isLast) throw new Error('killed');
          return result;
        };
      },
    });
  const mortal = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, dying(port)])) as T;
  return { ports: mortal, died: () => died };
}

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
