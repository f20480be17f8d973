import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { MonitorResult } from '../../domain/monitors/check-result.ts';
import type { HeartbeatStore } from '../../domain/monitors/heartbeat.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorStore, ShardRecorder } from '../../domain/monitors/ports.ts';
import type { ProbeResult, Prober, ProbeSession } from '../../domain/monitors/prober-ports.ts';
import type { ResultSpool } from '../../domain/monitors/result-spool.ts';
import type { FaultWatch } from './fault-watch.ts';
import { type FollowedShard, followShard } from './follow-shard.ts';
import { judgeHeartbeats } from './judge-heartbeats.ts';
import { createKeepResults, type KeepResults } from './keep-results.ts';
import type { OpenedSecrets } from './opened-secrets.ts';

export interface HoldShardDeps {
  /** Claims the shard: older holders can write no more. @throws UNAVAILABLE (retryable) */
  readonly openRecorder: (
    shard: number,
  ) => Promise<{ readonly recorder: ShardRecorder; readonly monitors: readonly Monitor[] }>;
  readonly monitors: Pick<MonitorStore, 'listShard'>;
  readonly heartbeats: Pick<HeartbeatStore, 'find'>;
  /** Secrets of checks, for one holder. */
  readonly openSecrets: () => OpenedSecrets;
  readonly prober: Prober;
  /** Whether the platform itself gives addresses there. */
  readonly isPlatformHost: (host: string) => boolean;
  readonly faults: FaultWatch;
  readonly spool: ResultSpool;
  /** The database's. */
  readonly now: Clock;
  readonly warn: (problem: { readonly err: unknown; readonly shard?: number }, message: string) => void;
  /** Shortened in tests. */
  readonly holdMs?: number;
}

/** `overtaken`: another holder has the shard. `over`: it was held for its time. */
export type HoldEnd = 'overtaken' | 'over';

const RECORD_EVERY_MS = 200;
const FOLLOW_EVERY_MS = 1_000;
/** Another attempt then begins, so that no activity runs for ever. */
const HOLD_MS = 12 * 3_600_000;

/**
 * Holds a shard: its monitors are checked on the prober's threads, and their results recorded, until the signal aborts,
 * another holder comes, or the time is over. Running twice changes nothing: the recorder's fence refuses what the older
 * holder writes, and that one then ends.
 * @throws the reason of an abort; UNAVAILABLE (retryable) when the prober ended, or the database is away at the start
 */
export async function holdShard(deps: HoldShardDeps, shard: number, signal: AbortSignal): Promise<HoldEnd> {
  const { recorder, monitors } = await deps.openRecorder(shard);
  signal.throwIfAborted();
  const inbox = createInbox();
  const over = AbortSignal.timeout(deps.holdMs ?? HOLD_MS);
  const halt = new AbortController();
  const stop = AbortSignal.any([signal, over, inbox.ended, halt.signal]);
  const session = deps.prober.open(inbox, aheadMs(deps));
  const warn: HoldShardDeps['warn'] = (problem, message) => deps.warn({ shard, ...problem }, message);
  const spool = deps.spool.open(shard);
  try {
    const following = { ...deps, recorder, session, secrets: deps.openSecrets(), warn };
    const held: Held = {
      ...{ deps, inbox, session },
      keep: createKeepResults({ recorder, spool, nowMs: deps.prober.nowMs, warn }),
      shard: await followShard(following, shard, monitors),
    };
    await together(halt, [
      repeat(() => recordNew(held), RECORD_EVERY_MS, stop),
      repeat(() => follow(held), FOLLOW_EVERY_MS, stop),
    ]);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'CONFLICT') return 'overtaken';
    throw error;
  } finally {
    session.close();
  }
  signal.throwIfAborted();
  inbox.ended.throwIfAborted();
  return 'over';
}

interface Held {
  readonly deps: HoldShardDeps;
  readonly inbox: Inbox;
  readonly session: ProbeSession;
  readonly keep: KeepResults;
  readonly shard: FollowedShard;
}

async function recordNew({ deps, inbox, session, keep, shard }: Held): Promise<void> {
  const { results, due } = inbox.take();
  const heartbeats = await judgeHeartbeats(
    deps,
    due.flatMap(({ monitorId, beganMs }) => {
      const monitor = shard.watched(monitorId);
      return monitor === null ? [] : [{ monitor, beganMs }];
    }),
  );
  const found = new Map(heartbeats.map(({ monitorId, outcome }) => [monitorId, outcome]));
  session.settle(due.map(({ monitorId }) => ({ monitorId, outcome: found.get(monitorId) ?? 'unknown' })));
  // The network of the prober has no part in what jobs report.
  const orgOf = (monitorId: string): string | null => shard.watched(monitorId)?.org ?? null;
  const all = [...deps.faults.judge(results, orgOf), ...heartbeats];
  const offsetMs = aheadMs(deps);
  await keep(all.filter(({ monitorId }) => shard.watched(monitorId) !== null).map((each) => dated(each, offsetMs)));
}

function dated({ beganMs, ...result }: ProbeResult, offsetMs: number): MonitorResult {
  return { ...result, at: Math.round(beganMs + offsetMs) };
}

async function follow({ deps, session, shard }: Held): Promise<void> {
  session.anchor(aheadMs(deps));
  await shard.look();
}

/** How far the database's clock is ahead of the one that nobody sets. */
function aheadMs({ now, prober }: Pick<HoldShardDeps, 'now' | 'prober'>): number {
  return now().getTime() - prober.nowMs();
}

/** Until the signal aborts, and once more then: what came last is not lost. */
async function repeat(work: () => Promise<void>, everyMs: number, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await work();
    await delay(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
  await work();
}

/** The first failure halts all, and is what is thrown once all have ended. */
async function together(halt: AbortController, loops: readonly Promise<void>[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop.catch((error: unknown) => halt.abort(error))));
  halt.signal.throwIfAborted();
}

interface Inbox extends ReturnType<typeof createInbox> {}

function createInbox() {
  type Due = { readonly monitorId: string; readonly beganMs: number };
  let results: ProbeResult[] = [];
  let due: Due[] = [];
  const end = new AbortController();
  return {
    /** Aborts when the prober ended. */
    ended: end.signal,
    onResults: (more: readonly ProbeResult[]): void => void results.push(...more),
    onHeartbeatsDue: (more: readonly Due[]): void => void due.push(...more),
    onEnd: (error: Error): void => end.abort(error),
    take() {
      const taken = { results, due };
      [results, due] = [[], []];
      return taken;
    },
  };
}
