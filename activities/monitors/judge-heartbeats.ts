import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type HeartbeatStore, judgeHeartbeat, NO_HEARTBEATS } from '../../domain/monitors/heartbeat.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { ProbeResult } from '../../domain/monitors/prober-ports.ts';

interface JudgeDeps {
  readonly heartbeats: Pick<HeartbeatStore, 'find'>;
  readonly now: Clock;
}

export interface DueHeartbeat {
  readonly monitor: Monitor;
  readonly beganMs: number;
}

/**
 * Results of heartbeats whose time has come. While the database is away nobody knows what jobs reported: nothing is
 * recorded then, and the next turn looks again.
 */
export async function judgeHeartbeats(
  { heartbeats, now }: JudgeDeps,
  due: readonly DueHeartbeat[],
): Promise<readonly ProbeResult[]> {
  if (due.length === 0) return [];
  try {
    const found = await heartbeats.find(due.map(({ monitor }) => monitor.id));
    const at = now();
    return due.flatMap(({ monitor: { id, check, createdAt, resumedAt }, beganMs }) => {
      if (check.kind !== 'heartbeat') return [];
      const since = resumedAt ?? createdAt;
      const finding = judgeHeartbeat(check, found.get(id) ?? NO_HEARTBEATS, { since, now: at });
      return [{ monitorId: id, beganMs, durationMs: 0, status: null, ...finding }];
    });
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'UNAVAILABLE') return [];
    throw error;
  }
}
