import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

const LOOK_EVERY_MS = 5_000;
/**
 * Share of the time that a process works at most while it is idle: services that nobody uses still ask twice a second each what
 * was revoked. On a busy machine waiting for a core counts as work, and rightly so: a collection would take from what there is
 * too little of.
 */
const IDLE = 0.1;
const GROWTH = 1.1;

/** What is looked at before memory is given back. */
export interface Idleness {
  /** Share of the time since the last look in which the process worked, 0 to 1. */
  readonly utilization: number;
  /** Bytes that the heap takes from the machine. */
  readonly heapBytes: number;
  /** The same after memory was last given back; null before. */
  readonly lastBytes: number | null;
}

/** True for an idle process whose heap has grown by a tenth since it was last shrunk. */
export function isWorthACollection({ utilization, heapBytes, lastBytes }: Idleness): boolean {
  return utilization < IDLE && (lastBytes === null || heapBytes > lastBytes * GROWTH);
}

/**
 * Gives back what a busy time has left behind. The heap of a busy process may grow, since frequent collections take a third
 * of its processor time; once it was idle for some seconds, one thorough collection shrinks the heap. That takes some
 * 100 ms, so it is done only when the heap has grown. Needs Node's flag `--expose-gc`, and does nothing without it. Keeps
 * no process alive.
 */
export function giveBackMemoryWhenIdle(lookEveryMs = LOOK_EVERY_MS): void {
  const { gc } = globalThis;
  if (gc === undefined) return;
  let since = performance.eventLoopUtilization();
  let lastBytes: number | null = null;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    if (!isWorthACollection({ utilization, heapBytes: heapBytes(), lastBytes })) return;
    gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    lastBytes = heapBytes();
    since = performance.eventLoopUtilization();
  }, lookEveryMs).unref();
}

function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}
