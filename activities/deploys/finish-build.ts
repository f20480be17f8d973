import type { LogLevel } from '../../domain/logs/log-line.ts';
import { auditBuild, type BuildEnd } from './audit-build.ts';
import type { DeploysDeps } from './deps.ts';

export interface FinishBuildInput extends BuildEnd {
  readonly supersededBy: string | null;
  /** What could not be undone, each a sentence. Absent in histories of version 0.1. */
  readonly undoFailures?: readonly string[];
}

type Deps = Pick<DeploysDeps, 'builds' | 'log' | 'now' | 'audit' | 'services' | 'workflows'>;

/** Writes the terminal record and what follows from it. Idempotent: a terminal record does not change again. */
export async function finishBuild(deps: Deps, input: FinishBuildInput): Promise<void> {
  const { build, status, reason, failure, supersededBy, undoFailures = [] } = input;
  const finishedAt = deps.now();
  // The last line of the log comes before the terminal status, which ends whoever follows the log.
  const record = await deps.builds.find(build.buildId);
  if (record?.finishedAt === null) {
    const line = (text: string, level: LogLevel) => ({ time: finishedAt, step: null, level, text });
    const lines = [
      ...undoFailures.map((text) => line(text, 'error')),
      ...lastLines(input).map((text) => line(text, failure === null ? 'info' : 'error')),
    ];
    await deps.log.append(build.buildId, lines, 'end');
    await deps.builds.addWarnings(build.buildId, undoFailures);
  }
  await deps.builds.finish(build.buildId, { status, reason, failure, supersededBy, finishedAt });
  await auditBuild(deps, input, record);
  await Promise.all([deps.workflows.releaseSlot(build.buildId), deps.workflows.startCleanUp(build)]);
}

function lastLines({ build, reason, failure }: FinishBuildInput): string[] {
  if (failure === null) return [`Completed: ${build.service} is live in ${build.environment}`];
  const text = reason === 'step_failed' ? `Failed [${failure.code}]: ${failure.message}` : failure.message;
  return text.split('\n');
}
