import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '../domain/deploys/status.ts';
import { type ApiClient, pathOf } from './api-client.ts';
import type { BuildView } from './build-view.ts';
import { CliFailure } from './cli-failure.ts';
import { followBuild } from './follow-build.ts';
import { type BuildReply, buildReply, type LogLineReply } from './replies.ts';

const REFRESH_MS = 1_000;
const PATIENCE_MS = 60_000;
const REMEMBERED_LINES = 200;

export interface WatchResult {
  /** The record after the build ended. */
  readonly build: BuildReply;
  /** The last lines of the log, for explaining a failure. */
  readonly lines: readonly LogLineReply[];
}

/** The record of a build. @throws CliFailure with exit `notFound` */
export function readBuild(api: ApiClient, id: string, signal?: AbortSignal): Promise<BuildReply> {
  const request = { method: 'GET', path: pathOf('builds', id) } as const;
  return api.call(buildReply, signal === undefined ? request : { ...request, signal });
}

/**
 * Follows a build into a view until it has ended. The log comes as a stream; the record with its steps is read again
 * on every sign of a change and once a second.
 *
 * @throws CliFailure the reason of `signal` when it aborts; as {@link followBuild} otherwise
 */
export async function watchBuild(
  api: ApiClient,
  buildId: string,
  view: BuildView,
  signal: AbortSignal,
): Promise<WatchResult> {
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const refresh = createRefresh(api, buildId, view, stop);
  const lines: LogLineReply[] = [];
  let step: string | null | undefined;
  const timer = setInterval(() => void refresh(), REFRESH_MS);
  try {
    view.update(await readBuild(api, buildId, signal));
    for await (const event of followBuild(api, buildId, { signal })) {
      if (event.type === 'line') {
        if (event.line.step !== step) {
          step = event.line.step;
          await refresh();
        }
        lines.push(event.line);
        if (lines.length > REMEMBERED_LINES) lines.shift();
        view.line(event.line);
      } else if (event.type === 'lost') view.lost(event.reason);
      else if (event.type === 'back') view.back();
      else if (event.type === 'status') await refresh();
    }
    clearInterval(timer);
    const build = await readEnded(api, buildId, signal);
    view.update(build);
    view.end(build);
    return { build, lines };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
    ended.abort();
    view.close();
  }
}

/** Reads the record into the view; at most one read is under way, and one more is noted for after it. */
function createRefresh(api: ApiClient, buildId: string, view: BuildView, signal: AbortSignal): () => Promise<void> {
  let running: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    try {
      const build = await readBuild(api, buildId, signal);
      if (!signal.aborted) view.update(build);
    } catch (error) {
      // The log stream notices an API that went away and says so; a refresh is only the finer picture.
      if (!signal.aborted && !(error instanceof CliFailure)) throw error;
    }
  };
  return () => {
    running ??= read().finally(() => {
      running = null;
    });
    return running;
  };
}

/** The record of a build whose stream said that it ended, even if the API goes away between the two. */
async function readEnded(api: ApiClient, buildId: string, signal: AbortSignal): Promise<BuildReply> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      const build = await readBuild(api, buildId, signal);
      if (isTerminal(build.status) || performance.now() > deadline) return build;
    } catch (error) {
      const passing = error instanceof CliFailure && error.exit === 'unreachable';
      if (!passing || performance.now() > deadline) throw error;
    }
    await sleep(250, undefined, { signal });
  }
}

/** Waits, without a view, until a build has ended. @throws CliFailure BUILD_STILL_RUNNING after `limitMs` */
export async function waitForEnd(api: ApiClient, buildId: string, limitMs: number): Promise<BuildReply> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const build = await readBuild(api, buildId);
    if (isTerminal(build.status)) return build;
    if (performance.now() > deadline) {
      throw new CliFailure('BUILD_STILL_RUNNING', `${buildId} is still ${build.status} after ${limitMs / 1000} s.`, {
        remedy: `Follow it: \`fairlead logs -f ${buildId}\``,
      });
    }
    await sleep(300);
  }
}
