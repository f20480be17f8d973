import type { ProberStatus } from '../../domain/monitors/prober-ports.ts';

/** How late checks began, of the last minute: what is shown, and what the bench reads. */
export interface LatenessRecord {
  add(lateMs: number, nowMs: number): void;
  read(nowMs: number): Pick<ProberStatus, 'checks' | 'lateness'>;
}

const WINDOW_MS = 60_000;
/** So many of the newest are kept: more than a minute of 5,000 monitors at 30 s has. */
const MOST = 16_384;

export function createLatenessRecord(): LatenessRecord {
  const lateMs = new Float32Array(MOST);
  const atMs = new Float64Array(MOST).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return {
    add(late, nowMs) {
      lateMs[next] = late;
      atMs[next] = nowMs;
      next = (next + 1) % MOST;
    },
    read(nowMs) {
      const recent = lateMs.filter((_, index) => nowMs - (atMs[index] ?? 0) < WINDOW_MS).sort();
      const at = (share: number): number => recent[Math.min(recent.length - 1, Math.floor(share * recent.length))] ?? 0;
      const lateness = recent.length === 0 ? null : { p50Ms: at(0.5), p99Ms: at(0.99) };
      return { checks: recent.length, lateness };
    },
  };
}
