import type { Clock } from '../../domain/clock.ts';
import { isFailure } from '../../domain/monitors/check-result.ts';
import { createFaultGuard } from '../../domain/monitors/fault-guard.ts';
import type { ProbeResult, Prober } from '../../domain/monitors/prober-ports.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';

export interface FaultWatchDeps {
  readonly prober: Pick<Prober, 'askControls' | 'nowMs'>;
  readonly outbox: Pick<Outbox, 'tell'>;
  /** The database's. */
  readonly now: Clock;
  /** Names the prober: of two that are cut off, each is told. */
  readonly proberName: string;
  readonly warn: (problem: { readonly err: unknown }, message: string) => void;
}

/** Failures that are the prober's own become `unknown`. One for all shards of a process: they share its network. */
export interface FaultWatch {
  judge(results: readonly ProbeResult[], orgOf: (monitorId: string) => string | null): readonly ProbeResult[];
}

const NONE_ANSWERS = 'none of the control targets answers: is MONITOR_CONTROL_TARGETS right?';

/** A notice that could not be told is told again after this: both ends of it may be cut off as well. */
const TELL_AGAIN_MS = 5_000;

/**
 * Asks the control targets at the start and once checks fail, and tells operators once when the prober takes the failures for its own.
 * Idempotent: the notice has the time of the cut in its id.
 */
export function createFaultWatch(deps: FaultWatchDeps): FaultWatch {
  const { prober, warn } = deps;
  const guard = createFaultGuard();
  let isAsking = false;
  let isSilent = false;
  let toldOfMs: number | null = null;
  let tellAtMs = 0;

  async function ask(): Promise<void> {
    isAsking = true;
    const beganMs = prober.nowMs();
    try {
      const found = await prober.askControls();
      guard.looked(found, beganMs);
      const wasSilent = isSilent;
      isSilent = found.controls > 0 && found.answering === 0;
      // Also later: targets that are gone for good would have the next outage taken for the prober's own fault.
      if (isSilent && !wasSilent) warn({ err: null }, NONE_ANSWERS);
    } catch (err) {
      warn({ err }, 'the control targets could not be asked');
    } finally {
      isAsking = false;
    }
  }

  async function tell(sinceMs: number): Promise<void> {
    toldOfMs = sinceMs;
    tellAtMs = prober.nowMs() + TELL_AGAIN_MS;
    try {
      await deps.outbox.tell(noticeOf(deps, sinceMs));
    } catch (err) {
      if (toldOfMs === sinceMs) toldOfMs = null;
      warn({ err }, 'operators could not be told yet that the prober has no network');
    }
  }

  return {
    judge(results, orgOf) {
      const nowMs = prober.nowMs();
      if (!isAsking && guard.wantsLook(nowMs, results.some(isFailure))) void ask();
      const judged = results.map((result) =>
        guard.judge(result, { org: orgOf(result.monitorId), beganMs: result.beganMs, nowMs }),
      );
      const sinceMs = guard.faultSinceMs();
      if (sinceMs !== null && sinceMs !== toldOfMs && nowMs >= tellAtMs) void tell(sinceMs);
      return judged;
    },
  };
}

function noticeOf({ prober, now, proberName }: FaultWatchDeps, sinceMs: number) {
  const at = new Date(now().getTime() - Math.round(prober.nowMs() - sinceMs));
  return {
    id: `prober-fault/${proberName}/${Math.round(sinceMs)}`,
    kind: 'prober.fault',
    org: null,
    subject: `The uptime monitor has no network on ${proberName}`,
    text: [
      'Over half of the checks fail, and none of the control targets answers (MONITOR_CONTROL_TARGETS).',
      'The monitors of this prober are shown as unknown until a control target answers. Nobody is told of an outage meanwhile.',
    ].join('\n'),
    data: { prober: proberName },
    at,
  } as const;
}
