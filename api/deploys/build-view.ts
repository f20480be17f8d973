import type { BuildRecord, BuildStep } from '../../domain/deploys/build.ts';
import type { BuildSummary, BuildView } from '../../domain/deploys/schema.ts';

/** A build as a list shows it. `now` measures what still runs. */
export function buildSummary(build: BuildRecord, now: Date): BuildSummary {
  const { facts: _facts, steps: _steps, diagnostics: _diagnostics, epoch: _epoch, ...rest } = build;
  return {
    ...rest,
    waiting: waitingView(build.waiting),
    createdAt: build.createdAt.toISOString(),
    startedAt: build.startedAt?.toISOString() ?? null,
    finishedAt: build.finishedAt?.toISOString() ?? null,
    durationMs: durationMs(build.startedAt, build.finishedAt, now),
    logs: `/builds/${build.id}/logs`,
  };
}

export function waitingView(waiting: BuildRecord['waiting']): BuildSummary['waiting'] {
  return waiting === null ? null : { since: waiting.since.toISOString(), until: waiting.until.toISOString() };
}

/** A build with its steps. The facts stay inside: they are for retries. */
export function buildView(build: BuildRecord, now: Date): BuildView {
  return {
    ...buildSummary(build, now),
    lockfile: build.facts.lockfile?.name ?? null,
    steps: stepViews(build.steps, now),
    diagnostics: build.diagnostics.map((entry) => ({ ...entry, lines: [...entry.lines] })),
    blockedGrants: [...build.blockedGrants],
    warnings: [...build.warnings],
  };
}

/** Steps as people see them; how they run is the workflow's own affair. */
export function stepViews(steps: readonly BuildStep[], now: Date): BuildView['steps'] {
  return steps.map(({ run: _run, ...step }) => ({
    ...step,
    startedAt: step.startedAt?.toISOString() ?? null,
    finishedAt: step.finishedAt?.toISOString() ?? null,
    durationMs: durationMs(step.startedAt, step.finishedAt, now),
    warnings: [...step.warnings],
  }));
}

/** Milliseconds from start to end, or to now; null before the start. Never negative, whatever two clocks say. */
function durationMs(startedAt: Date | null, finishedAt: Date | null, now: Date): number | null {
  if (startedAt === null) return null;
  return Math.max(0, (finishedAt ?? now).getTime() - startedAt.getTime());
}
