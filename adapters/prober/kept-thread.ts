import { monotonicMs } from './prober-messages.ts';
import { createStallWatch } from './stall-watch.ts';
import type { ProberThread } from './start-thread.ts';

export interface KeptThreadOptions {
  readonly open: (onEnd: (cause: unknown) => void) => ProberThread;
  /** A thread has started: it knows nothing yet. */
  readonly onStart: (thread: ProberThread) => void;
  /** A thread ended by itself, or hangs. @param mark of what it worked on */
  readonly onLost: (how: { readonly mark: number; readonly err: unknown; readonly message: string }) => void;
}

/** A thread that starts on first need, and anew when it ended or hangs. */
export interface KeptThread {
  /** Null while there is none. */
  readonly current: ProberThread | null;
  need(): ProberThread;
  /** As `need`, but a thread that ends again and again has its time to wait first. */
  startInTime(): void;
  /** Once a second: is it well? */
  look(): void;
  end(): Promise<void>;
}

/** A thread that ends is started anew after this, and after longer each time that it ends soon. */
const RESTART_MS = { first: 1_000, most: 60_000 } as const;

export function keepThread({ open, onStart, onLost }: KeptThreadOptions): KeptThread {
  let current: ProberThread | null = null;
  let stall = createStallWatch();
  let startedMs = 0;
  let waitMs: number = RESTART_MS.first;
  /** When to start one in the place of one that ended; null: when it is needed. */
  let restartMs: number | null = null;

  function start(): ProberThread {
    restartMs = null;
    startedMs = monotonicMs();
    stall = createStallWatch();
    const begun = open((cause) => ended(begun, cause));
    current = begun;
    onStart(begun);
    return begun;
  }

  /** One that was ended here is no longer the current one. */
  function ended(which: ProberThread, err: unknown): void {
    if (current !== which) return;
    current = null;
    const nowMs = monotonicMs();
    waitMs = nowMs - startedMs > RESTART_MS.most ? RESTART_MS.first : Math.min(2 * waitMs, RESTART_MS.most);
    restartMs = nowMs + waitMs;
    onLost({ mark: which.mark(), err, message: 'a thread that runs checks ended; it is started anew' });
  }

  return {
    get current() {
      return current;
    },
    need: () => current ?? start(),
    startInTime() {
      if (current === null && restartMs === null) start();
    },
    look() {
      if (restartMs !== null && monotonicMs() >= restartMs) start();
      if (current === null || !stall.hangs(current.beats())) return;
      const hanging = current;
      current = null;
      onLost({ mark: hanging.mark(), err: null, message: 'a thread that runs checks hangs; it is started anew' });
      start();
      void hanging.end();
    },
    async end() {
      const last = current;
      [current, restartMs] = [null, null];
      await last?.end();
    },
  };
}
