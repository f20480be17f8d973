import type { BuildFailure, BuildRequest, PlannedStep } from '../../domain/deploys/build.ts';
import type { DeploysDeps } from './deps.ts';

export interface FailedOpen {
  readonly build: BuildRequest;
  readonly step: Pick<PlannedStep, 'key' | 'title' | 'stage'>;
  readonly failure: BuildFailure;
}

/**
 * Records that a step failed and that the build goes on without it (spec 2, "Fail-open versus hard-fail"): the step is
 * `warned`, the reason a warning of step and build. Idempotent: sets states; the log line carries a key.
 */
export async function failOpen(
  deps: Pick<DeploysDeps, 'builds' | 'log' | 'now'>,
  { build: { buildId }, step, failure }: FailedOpen,
): Promise<void> {
  const warning = `${step.title} failed [${failure.code}]; the build continues without it: ${failure.message}`;
  const time = deps.now();
  await deps.log.append(buildId, [{ time, step: step.key, level: 'warn', text: warning }], `fail-open/${step.key}`);
  const changes = { state: 'warned', finishedAt: time, warnings: [warning] } as const;
  await deps.builds.markStep(buildId, step, changes, { warnings: [warning] });
}
