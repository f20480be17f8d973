import type { BuildView, ViewOptions } from './build-view.ts';
import type { Output } from './output.ts';
import type { BuildReply } from './replies.ts';
import { elapsedMs } from './terminal/times.ts';

/**
 * Follows a build as NDJSON events: `status` and `step` when one changed, `waiting` when
 * the build waits for grants, for others, or no more, `line` for each log line, `lost` and `back`
 * around a lost connection. The caller writes the last line, the `result`.
 */
export function createJsonView(output: Output, options: ViewOptions): BuildView {
  const states = new Map<string, string>();
  let status: string | null = null;
  let waiting: ReturnType<typeof waitOf> = { waiting: null, blockedGrants: [] };
  const tellWait = (build: BuildReply): void => {
    const wait = waitOf(build);
    if (JSON.stringify(wait) === JSON.stringify(waiting)) return;
    waiting = wait;
    output.event('waiting', { buildId: build.id, ...wait });
  };
  return {
    update: (build) => {
      if (build.status !== status) {
        status = build.status;
        output.event('status', { buildId: build.id, status });
      }
      tellWait(build);
      for (const step of build.steps ?? []) {
        const known = states.get(step.key) ?? 'pending';
        if (known === step.state) continue;
        states.set(step.key, step.state);
        if (step.state === 'skipped' && !options.verbose) continue;
        const { key, title, state, reason } = step;
        const durationMs = step.finishedAt == null ? null : elapsedMs(step.startedAt, step.finishedAt, new Date());
        output.event('step', { key, title, state, reason: reason ?? null, durationMs, warnings: step.warnings ?? [] });
      }
    },
    line: ({ seq, time, step, level, text }) => {
      if (options.logs) output.event('line', { seq, time, step: step ?? null, level, text });
    },
    lost: (reason) => output.event('lost', { reason }),
    back: () => output.event('back', {}),
    end: () => {},
    close: () => {},
  };
}

/** Of a build that failed for want of them, the grants are in its result. */
function waitOf({ waiting, blockedGrants = [] }: BuildReply) {
  return { waiting: waiting ?? null, blockedGrants: waiting == null ? [] : blockedGrants };
}
