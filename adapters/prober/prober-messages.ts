import { phaseOf } from '../../domain/monitors/check-phase.ts';
import type { Outcome } from '../../domain/monitors/check-result.ts';
import type { ProbedMonitor, ProbeListener, ProberStatus } from '../../domain/monitors/prober-ports.ts';
import type { Target } from './dial.ts';
import type { ProbeNetworks } from './probe-guard.ts';

/** What all threads of the prober have. */
export interface ProberSettings {
  readonly networks: ProbeNetworks;
  /** Networks that the monitors of an org reach besides; of `''`, those without an org. */
  readonly allowedOfOrgs?: ReadonlyMap<string, readonly string[]>;
  /** Addresses of DNS servers; none: those of the machine. */
  readonly nameServers: readonly string[];
  /** Asked when checks fail: they answer while this machine has a network. */
  readonly controls: readonly Target[];
}

/** What a thread is started with. */
export interface ThreadSettings extends ProberSettings {
  readonly lane: number;
  /** As {@link Signs}. */
  readonly signs: SharedArrayBuffer;
}

/** Where a thread shows that it goes on, and with which check, also while it can send nothing. */
export interface Signs {
  /** Moves while the thread goes on. */
  readonly beats: () => number;
  readonly beat: () => void;
  /** {@link markOf} the monitor whose target's bytes are worked on; 0 for none. */
  readonly mark: () => number;
  readonly setMark: (mark: number) => void;
}

export const SIGNS_BYTES = 2 * Int32Array.BYTES_PER_ELEMENT;

export function openSigns(shared: SharedArrayBuffer): Signs {
  const signs = new Int32Array(shared);
  return {
    beats: () => Atomics.load(signs, 0),
    beat: () => void Atomics.add(signs, 0, 1),
    mark: () => Atomics.load(signs, 1),
    setMark: (mark) => void Atomics.store(signs, 1, mark),
  };
}

/** A number by which a monitor is found among the others of a thread. */
export function markOf(id: string): number {
  return 1 + phaseOf(id, 2 ** 31 - 2);
}

/** To the thread. A session is a holder of a shard. */
export type ProberCommand =
  | { readonly type: 'set'; readonly session: number; readonly monitors: readonly ProbedMonitor[] }
  | { readonly type: 'remove'; readonly session: number; readonly monitorIds: readonly string[] }
  | {
      readonly type: 'settle';
      readonly session: number;
      readonly found: readonly { readonly monitorId: string; readonly outcome: Outcome }[];
    }
  | { readonly type: 'anchor'; readonly aheadMs: number }
  | { readonly type: 'close'; readonly session: number }
  | { readonly type: 'controls'; readonly ask: number }
  | { readonly type: 'status'; readonly ask: number };

/** From the thread. */
export type ProberEvent =
  | {
      readonly type: 'results';
      readonly session: number;
      readonly results: Parameters<ProbeListener['onResults']>[0];
      readonly due: Parameters<ProbeListener['onHeartbeatsDue']>[0];
    }
  | { readonly type: 'controls'; readonly ask: number; readonly controls: number; readonly answering: number }
  | { readonly type: 'status'; readonly ask: number; readonly status: ProberStatus };

/** Each thread has an origin of its own for the clock that they share. */
const ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds of a clock that nobody sets, the same in all threads of a process. */
export function monotonicMs(): number {
  return ORIGIN_MS + performance.now();
}
