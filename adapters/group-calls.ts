interface Asking<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface GroupOptions {
  /** Items of one call. */
  readonly most: number;
  /** Awaited before each call, so that more may join it; by default nothing. */
  readonly wait?: () => Promise<void>;
}

/**
 * One call for many requests: of each key one call at a time is under way, and what is asked meanwhile goes together into the
 * next one. Each request is answered when its own call is, by the result at its place, or by the error of the call.
 * @param call `follows`: a call for the same key has just ended
 */
export function groupCalls<Item, Result>(
  call: (key: string, items: readonly Item[], follows: boolean) => Promise<readonly Result[]>,
  { most, wait = async () => undefined }: GroupOptions,
): (key: string, item: Item) => Promise<Result> {
  const queues = new Map<string, Asking<Item, Result>[]>();

  async function empty(key: string, queue: Asking<Item, Result>[]): Promise<void> {
    for (let follows = false; queue.length > 0; follows = true) {
      await wait();
      const group = queue.splice(0, most);
      const items = group.map(({ item }) => item);
      try {
        const results = await call(key, items, follows);
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    queues.delete(key);
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const asking = { item, resolve, reject };
      const queue = queues.get(key);
      if (queue !== undefined) return void queue.push(asking);
      const begun = [asking];
      queues.set(key, begun);
      void empty(key, begun);
    });
}
