import { setImmediate as settle } from 'node:timers/promises';
import type { Random } from './random.ts';

/** One attempt of an activity, as a worker carries it out. */
export interface Attempt {
  /** Resolves when Temporal takes the attempt for lost: its worker was killed, or is paused. */
  readonly lost: Promise<void>;
  /** The port, each of whose calls waits until the scheduler lets it through. */
  through<T extends object>(port: T): T;
}

interface Worker {
  state: 'runs' | 'paused' | 'killed';
  readonly loseIt: () => void;
}

interface Call {
  readonly worker: Worker;
  /** Lets the call happen; resolves when it has. */
  readonly happen: () => Promise<void>;
  readonly drop: () => void;
}

const ANSWERED_AT_ONCE: ReadonlySet<string | symbol> = new Set(['url', 'urls']);
const KILLED = new Error('the worker was killed');
/** Calls in a run; one that goes on and on is an error of the model. */
const LONGEST_RUN = 20_000;
/** Of what happens by itself, which is done again until it has happened. */
const NOBODY: Worker = { state: 'runs', loseIt: () => undefined };

/** Lets one call of all attempts happen after the other, in an order that is random, and kills and pauses workers. */
export function createScheduler(random: Random, limits: { readonly kills: number }) {
  let calls: Call[] = [];
  let kills = limits.kills;
  let happened = 0;

  function drop(worker: Worker): void {
    worker.state = 'killed';
    for (const call of calls) if (call.worker === worker) call.drop();
    calls = calls.filter((call) => call.worker !== worker);
  }

  /** Before the call, after it, or for a while. */
  async function lose({ worker, happen }: Call): Promise<void> {
    kills -= 1;
    worker.loseIt();
    if (random.chance(0.6)) {
      worker.state = 'paused';
      return;
    }
    if (random.chance(0.5)) await happen();
    drop(worker);
  }

  return {
    attempt(): Attempt {
      const { promise: lost, resolve: loseIt } = Promise.withResolvers<void>();
      const worker: Worker = { state: 'runs', loseIt };
      const wait = (call: () => unknown): Promise<unknown> => {
        if (worker.state === 'killed') return Promise.reject(KILLED);
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        const happen = async (): Promise<void> => {
          calls = calls.filter((one) => one !== entry);
          await Promise.resolve().then(call).then(resolve, reject);
        };
        const entry: Call = { worker, happen, drop: () => reject(KILLED) };
        calls.push(entry);
        return promise;
      };
      const through = <T extends object>(port: T): T =>
        new Proxy(port, {
          get(target, name, receiver) {
            const value: unknown = Reflect.get(target, name, receiver);
            if (typeof value !== 'function' || ANSWERED_AT_ONCE.has(name)) return value;
            return (...args: unknown[]) => wait(() => value.apply(target, args));
          },
        });
      return { lost, through };
    },
    /** Something that happens once, whoever is killed. */
    post(work: () => Promise<void>): void {
      const entry: Call = {
        worker: NOBODY,
        happen: async () => {
          calls = calls.filter((one) => one !== entry);
          await work();
        },
        drop: () => undefined,
      };
      calls.push(entry);
    },
    /** Lets the next call happen. False when none waits of a worker that runs. */
    async next(): Promise<boolean> {
      if (calls.length === 0) await settle();
      const running = calls.filter(({ worker }) => worker.state === 'runs');
      const paused = calls.filter(({ worker }) => worker.state === 'paused');
      const pool = paused.length > 0 && (running.length === 0 || random.chance(0.15)) ? paused : running;
      const call = pool[random.below(pool.length)];
      if (call === undefined) return false;
      happened += 1;
      if (happened > LONGEST_RUN) throw new Error('the run does not come to an end');
      if (pool === running && call.worker !== NOBODY && kills > 0 && random.chance(0.04)) await lose(call);
      else await call.happen();
      await settle();
      return true;
    },
    /** Ends what is left of workers that were killed. */
    end(): void {
      for (const { worker } of calls) if (worker !== NOBODY) drop(worker);
    },
  };
}

export type Scheduler = ReturnType<typeof createScheduler>;
