import type { Clock } from '../../../domain/clock.ts';
import type { BuildLog } from '../../../domain/deploys/build-store.ts';
import {
  bytesOf,
  capNotice,
  cutLine,
  DEFAULT_LOG_LIMITS,
  fittingPrefix,
  type LogLimits,
  reserveOf,
} from '../../../domain/logs/log-limits.ts';
import type { LogLine, NewLogLine } from '../../../domain/logs/log-line.ts';

interface KeptLog {
  readonly lines: LogLine[];
  readonly once: Set<string>;
  bytes: number;
  capped: boolean;
  tailLines: number;
  tailErrors: number;
}

/** Build logs in this process, within the same limits. */
export function createInMemoryBuildLog(deps: { readonly now: Clock; readonly limits?: LogLimits }): BuildLog {
  const { now, limits = DEFAULT_LOG_LIMITS } = deps;
  const logs = new Map<string, KeptLog>();

  const keep = (log: KeptLog, lines: readonly NewLogLine[]): void => {
    for (const line of lines) log.lines.push({ ...line, seq: log.lines.length + 1 });
  };

  const keepPastCap = (log: KeptLog, lines: readonly NewLogLine[]): void => {
    if (!log.capped) keep(log, [capNotice(now(), limits)]);
    log.capped = true;
    for (const line of lines) {
      const reserve = reserveOf(line);
      if (reserve === null || log[reserve] >= limits.reserve) continue;
      log[reserve] += 1;
      keep(log, [line]);
    }
  };

  return {
    async append(buildId, lines, once) {
      const log = logs.get(buildId) ?? newLog();
      logs.set(buildId, log);
      if (lines.length === 0 || (once !== undefined && log.once.has(once))) return;
      if (once !== undefined) log.once.add(once);
      const cut = lines.map((line) => cutLine(line, limits.lineBytes));
      const fitting = log.capped ? [] : fittingPrefix(cut, { seq: log.lines.length, bytes: log.bytes }, limits);
      keep(log, fitting);
      log.bytes += bytesOf(fitting);
      if (fitting.length < cut.length) keepPastCap(log, cut.slice(fitting.length));
    },
    read: async (buildId, after, limit) => {
      const lines = logs.get(buildId)?.lines ?? [];
      return lines.slice(after, after + limit);
    },
    readBefore: async (buildId, before, limit) => {
      const lines = logs.get(buildId)?.lines.slice(0, before - 1) ?? [];
      return lines.slice(Math.max(0, lines.length - limit));
    },
    hasMore: async (buildId, after) => (logs.get(buildId)?.lines.length ?? 0) > after,
  };
}

function newLog(): KeptLog {
  return { lines: [], once: new Set(), bytes: 0, capped: false, tailLines: 0, tailErrors: 0 };
}
