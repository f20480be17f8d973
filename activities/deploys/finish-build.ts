import { z } from 'zod';
import type { LogLevel } from '../../domain/logs/log-line.ts';
import { auditBuild, type BuildEnd } from './audit-build.ts';
import type { DeploysDeps } from './deps.ts';

export interface FinishBuildInput extends BuildEnd {
  readonly supersededBy: string | null;
  /** What could not be undone, each a sentence. Absent in histories of version 0.1. */
  readonly undoFailures?: readonly string[];
}

const blockedSchema = z.object({ blockedGrants: z.array(z.unknown()) });

type Deps = Pick<DeploysDeps, 'builds' | 'log' | 'now' | 'audit' | 'services' | 'workflows'>;

/**
 * Writes the terminal record and what follows from it. Idempotent: a terminal record does not change again. Of a build
 * whose record is gone, what follows is done all the same.
 */
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
  const blocked = blockedGrantsOf(failure);
  if (record !== null) {
    await deps.builds.finish(build.buildId, {
      ...{ status, reason, failure, supersededBy, finishedAt },
      ...(blocked === null ? {} : { blockedGrants: blocked }),
    });
  }
  await auditBuild(deps, input, record);
  await Promise.all([deps.workflows.releaseSlot(build.buildId), deps.workflows.startCleanUp(build)]);
}

/** Grants that a failure names; null for another failure. */
function blockedGrantsOf(failure: FinishBuildInput['failure']): readonly unknown[] | null {
  if (failure?.code !== 'SCOPE_GRANT_BLOCKED') return null;
  const details = blockedSchema.safeParse(failure.details);
  return details.success ? details.data.blockedGrants : null;
}

function lastLines({ build, reason, failure }: FinishBuildInput): string[] {
  if (failure === null) return [`Completed: ${build.service} is live in ${build.environment}`];
  const text = reason === 'step_failed' ? `Failed [${failure.code}]: ${failure.message}` : failure.message;
  return text.split('\n');
}
