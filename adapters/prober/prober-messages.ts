import type { Outcome } from '../../domain/monitors/check-result.ts';
import type { ProbedMonitor, ProbeListener, ProberStatus } from '../../domain/monitors/prober-ports.ts';
import type { Target } from './dial.ts';
import type { ProbeNetworks } from './probe-guard.ts';

/** What the prober's thread is started with. */
export interface ProberSettings {
  readonly networks: ProbeNetworks;
  /** Addresses of DNS servers; none: those of the machine. */
  readonly nameServers: readonly string[];
  /** Asked when checks fail: they answer while this machine has a network. */
  readonly controls: readonly Target[];
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
