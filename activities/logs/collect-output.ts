import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import type { Workload, WorkloadRuntime } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { targetKey } from '../../domain/ids.ts';
import { LOOK_AT_LOGS_EVERY_MS } from '../../domain/logs/rotation.ts';
import type { OpenServiceLog, ServiceLogs, ServiceLogTarget, ServiceLogWriter } from '../../domain/logs/service-log.ts';
import { followWorkload } from './follow-workload.ts';
import type { OutputRate } from './rate-limit.ts';

export interface CollectDeps {
  readonly runtime: Pick<WorkloadRuntime, 'listAll' | 'follow'>;
  readonly logs: ServiceLogs;
  readonly builds: Pick<BuildStore, 'find'>;
  readonly services: Pick<ServiceStore, 'find' | 'findConfirmed'>;
  /** A redactor that knows every secret that the workload was given, of its service, and of the platform. */
  readonly redactorOf: (serviceId: string, workload: Workload) => Promise<(line: string) => string>;
  readonly warn: (problem: { readonly err: unknown; readonly service?: string }, message: string) => void;
  /** Shortened in tests. */
  readonly lookEveryMs?: number;
  readonly lookAtLogsEveryMs?: number;
  readonly retryAfterMs?: number;
  readonly rate?: OutputRate;
}

const LOOK_EVERY_MS = 1_500;
const RETRY_AFTER_MS = 1_500;
const LONGEST_RETRY_MS = 60_000;

/**
 * Writes what all workloads print to the logs of their services, until the signal aborts: a new workload is found within
 * two seconds, one that is removed ends its follower, and a follower that fails is started again where its log is. The
 * list of workloads is asked for anew each time, so that nothing is missed while an engine or a database is away.
 *
 * Running twice changes nothing: the log tells where each workload was left, and a later collector takes it over from an
 * earlier one, which then fails with CONFLICT.
 */
export async function collectOutput(deps: CollectDeps, stop: AbortSignal): Promise<void> {
  const { lookEveryMs = LOOK_EVERY_MS } = deps;
  const overtaken = new AbortController();
  const signal = AbortSignal.any([stop, overtaken.signal]);
  const writer = await deps.logs.takeOver();
  const followers = createFollowers(deps, writer, signal, (error) => overtaken.abort(error));
  const looking = lookAfterLogs(deps, writer, signal);
  try {
    await removeLeftLogs(deps);
    while (!signal.aborted) {
      await followers.look();
      await delay(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    overtaken.abort();
    await followers.ended();
    await looking;
  }
  if (overtaken.signal.reason instanceof FairleadError) throw overtaken.signal.reason;
}

/** Beside the followers, so that compressing a file delays no line. */
async function lookAfterLogs(
  { warn, lookAtLogsEveryMs = LOOK_AT_LOGS_EVERY_MS }: CollectDeps,
  writer: ServiceLogWriter,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // Whoever was overtaken hears it from its next line.
    await writer.look().catch((err: unknown) => {
      if (!signal.aborted) warn({ err }, 'logs could not be rotated or compressed; it is tried again');
    });
    await delay(lookAtLogsEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Logs of services that were removed while no collector, or another one, was there. */
async function removeLeftLogs({ logs, services, warn }: CollectDeps): Promise<void> {
  try {
    for (const id of await logs.serviceIds()) {
      const isGone = (await services.find(id)) === null && (await services.findConfirmed(id)) === null;
      if (isGone) await logs.remove(id);
    }
  } catch (err) {
    warn({ err }, 'logs of removed services could not be looked for');
  }
}

/** A follower that failed, and when the next one begins: by `performance.now()`, which nobody sets back. */
interface Failed {
  readonly times: number;
  readonly until: number;
}

function createFollowers(
  deps: CollectDeps,
  writer: ServiceLogWriter,
  signal: AbortSignal,
  onOvertaken: (error: FairleadError) => void,
) {
  const { retryAfterMs = RETRY_AFTER_MS } = deps;
  const running = new Map<string, Promise<void>>();
  const failed = new Map<string, Failed>();
  let isAway = false;
  const shared = createSharedLogs(writer);

  const follow = async (workload: Workload): Promise<void> => {
    const build = await deps.builds.find(workload.buildId);
    // Nobody's: there is no record of a service whose log it could be.
    if (build === null) return;
    const redact = await deps.redactorOf(build.serviceId, workload);
    const target = { serviceId: build.serviceId, environment: workload.environment };
    await shared.using(target, (log) => {
      const onDelay = (err: Error) => deps.warn({ err, service: workload.service }, 'output is not written for now');
      const { runtime, rate } = deps;
      return followWorkload(workload, {
        runtime,
        log,
        redact,
        signal,
        onDelay,
        ...(rate === undefined ? {} : { rate }),
      });
    });
  };
  const begin = (workload: Workload): void => {
    const ended = follow(workload)
      .then(() => failed.delete(workload.id))
      .catch((err: unknown) => {
        if (err instanceof FairleadError && err.code === 'CONFLICT') onOvertaken(err);
        if (signal.aborted) return;
        const times = (failed.get(workload.id)?.times ?? 0) + 1;
        const waitMs = Math.min(LONGEST_RETRY_MS, retryAfterMs * 2 ** (times - 1));
        failed.set(workload.id, { times, until: performance.now() + waitMs });
        deps.warn({ err, service: workload.service }, 'following the output failed; it is tried again');
      })
      .then(() => void running.delete(workload.id));
    running.set(workload.id, ended);
  };

  return {
    /** Follows the workloads that nobody follows. */
    async look(): Promise<void> {
      try {
        const workloads = await deps.runtime.listAll();
        isAway = false;
        const listed = new Set(workloads.map(({ id }) => id));
        for (const id of failed.keys()) if (!listed.has(id)) failed.delete(id);
        for (const workload of workloads) {
          const { id } = workload;
          if (!running.has(id) && (failed.get(id)?.until ?? 0) <= performance.now()) begin(workload);
        }
      } catch (err) {
        // Said once, not with every look.
        if (!isAway) deps.warn({ err }, 'workloads could not be listed; it is tried again');
        isAway = true;
      }
    },
    async ended(): Promise<void> {
      await Promise.all(running.values());
    },
  };
}

interface SharedLog {
  readonly log: Promise<OpenServiceLog>;
  users: number;
}

/** Opens the log of a target once for all its workloads, of which a deploy has two for a while. */
function createSharedLogs(writer: ServiceLogWriter) {
  const open = new Map<string, SharedLog>();
  return {
    async using(target: ServiceLogTarget, work: (log: OpenServiceLog) => Promise<void>): Promise<void> {
      const key = targetKey(target.serviceId, target.environment);
      const shared = open.get(key) ?? { log: writer.open(target), users: 0 };
      open.set(key, shared);
      shared.users += 1;
      try {
        await work(await shared.log);
      } finally {
        shared.users -= 1;
        if (shared.users === 0) {
          open.delete(key);
          await shared.log.then((log) => log.close()).catch(() => undefined);
        }
      }
    },
  };
}
