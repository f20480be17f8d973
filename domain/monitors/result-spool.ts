import type { MonitorResult } from './check-result.ts';

/** Results that could not be recorded, on the disk of the prober. Bounded: when it is full, the oldest go. */
export interface ResultSpool {
  open(shard: number): ShardSpool;
}

export interface ShardSpool {
  append(results: readonly MonitorResult[]): Promise<void>;
  /** The oldest that wait, of whichever holder they are; null when there are none. They stay until `done`. */
  oldest(): Promise<{ readonly results: readonly MonitorResult[]; readonly done: () => Promise<void> } | null>;
}
