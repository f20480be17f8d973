import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { sendsSecrets } from '../../domain/monitors/headers-to-send.ts';
import { isWatched, type Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorStore, ShardRecorder } from '../../domain/monitors/ports.ts';
import type { ProbeSession } from '../../domain/monitors/prober-ports.ts';
import type { OpenedSecrets } from './opened-secrets.ts';
import { probedMonitor } from './probed-monitor.ts';

export interface FollowDeps {
  readonly monitors: Pick<MonitorStore, 'listShard'>;
  readonly recorder: Pick<ShardRecorder, 'conditions' | 'follow'>;
  readonly session: Pick<ProbeSession, 'set' | 'remove'>;
  readonly secrets: OpenedSecrets;
  /** Whether the platform itself gives addresses there. */
  readonly isPlatformHost: (host: string) => boolean;
  readonly now: Clock;
  readonly warn: (problem: { readonly err: unknown }, message: string) => void;
}

/** The monitors of a shard as they are now. */
export interface FollowedShard {
  /** Null for one that is not checked. */
  watched(id: string): Monitor | null;
  /** Takes over what changed; later, while the database is away or full. @throws CONFLICT when the shard has another holder */
  look(): Promise<void>;
}

/** Changes are written by processes whose clocks are a little apart, and may come late. */
const OVERLAP_MS = 10_000;
/** All are read so often: a clock that is further away than that hides a change no longer. */
const READ_ALL_EVERY_MS = 60_000;
const PAGE = 200;

/**
 * Idempotent: a monitor whose revision is known is left out. Monitors whose secrets were set anew are given to the prober again.
 * @param loaded what the recorder has already
 * @throws UNAVAILABLE (retryable) while their secrets cannot be read
 */
export async function followShard(deps: FollowDeps, shard: number, loaded: readonly Monitor[]): Promise<FollowedShard> {
  const { monitors, recorder, session, secrets, isPlatformHost, now, warn } = deps;
  const known = new Map<string, Monitor>();
  let newestMs = 0;
  let isTold = false;
  let readAllAtMs = now().getTime() + READ_ALL_EVERY_MS;

  async function take(changed: readonly Monitor[]): Promise<void> {
    // Before anything is known: what could not be read is taken over with the next look.
    const moved = await secrets.look(orgsThatSend([...known.values(), ...changed]));
    const others = moved.size === 0 ? [] : [...known.values()].filter((monitor) => isSentTo(monitor, moved));
    for (const monitor of changed) {
      known.set(monitor.id, monitor);
      newestMs = Math.max(newestMs, monitor.updatedAt.getTime());
    }
    const conditions = recorder.conditions();
    const ids = new Set([...changed, ...others].map(({ id }) => id));
    const watched = [...ids].flatMap((id) => known.get(id) ?? []).filter(isWatched);
    session.set(
      watched.map((monitor) => {
        const condition = conditions.get(monitor.id) ?? null;
        return probedMonitor(monitor, { condition, isPlatformHost, secrets: secrets.of(monitor.org) });
      }),
    );
    session.remove(changed.filter((monitor) => !isWatched(monitor)).map(({ id }) => id));
  }

  async function read(changedSince: Date | null): Promise<void> {
    let cursor: string | null = null;
    do {
      const page = await monitors.listShard(shard, changedSince, { cursor, limit: PAGE });
      const changed = page.items.filter(({ id, revision }) => known.get(id)?.revision !== revision);
      if (changed.length > 0) {
        await recorder.follow(changed);
        await take(changed);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  await take(loaded);
  return {
    watched(id) {
      const monitor = known.get(id);
      return monitor !== undefined && isWatched(monitor) ? monitor : null;
    },
    async look() {
      const nowMs = now().getTime();
      const isAll = nowMs >= readAllAtMs;
      try {
        await read(isAll ? null : new Date(Math.min(newestMs, nowMs) - OVERLAP_MS));
        await take([]);
        if (isAll) readAllAtMs = nowMs + READ_ALL_EVERY_MS;
        isTold = false;
      } catch (error) {
        if (error instanceof FairleadError && error.code === 'CONFLICT') throw error;
        if (!isTold) warn({ err: error }, 'changes of monitors cannot be taken over yet');
        isTold = true;
      }
    },
  };
}

/** Those that have a check with a secret. */
function orgsThatSend(monitors: readonly Monitor[]): ReadonlySet<string> {
  return new Set(monitors.flatMap(({ org, check }) => (org !== null && sendsSecrets(check) ? [org] : [])));
}

function isSentTo({ org, check }: Monitor, orgs: ReadonlySet<string>): boolean {
  return org !== null && orgs.has(org) && sendsSecrets(check);
}
