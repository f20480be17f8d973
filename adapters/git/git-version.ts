import { compareVersions } from '../../domain/compare-versions.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { runProcess } from '../process/run-process.ts';

/** The first git that connects to the addresses it is told (`http.curloptResolve`); older ones ignore the setting. */
const MINIMUM = '2.37.0';

/**
 * The first of each series in which a clone of a local repository, whoever owns it, runs nothing of it and follows no link
 * out of it (CVE-2024-32004, CVE-2024-32465). Series after the last one are good from their first.
 */
const SAFE_FOR_LOCAL = ['2.39.4', '2.40.2', '2.41.1', '2.42.2', '2.43.4', '2.44.1', '2.45.1'] as const;

/** Throws SOURCE_UNREACHABLE when git is missing or too old for a source of that kind. */
export type RequireGit = (signal: AbortSignal, kind: 'http' | 'local') => Promise<void>;

/** A check that git is there and new enough; git is asked until it answered once. */
export function createGitCheck(env: ProcessEnv): RequireGit {
  let known: string | null = null;
  return async (signal, kind) => {
    known ??= parseVersion(await readVersion(env, signal));
    if (compareVersions(known, MINIMUM) < 0) throw refused(`git on the builder is too old (${known})`, '2.37');
    if (kind === 'local' && !isSafeForLocal(known)) {
      throw refused(`git ${known} on the builder is not safe for local repositories`, '2.39.4, 2.45.1');
    }
  };
}

/** True when that version has no known hole in clones of local repositories. */
export function isSafeForLocal(version: string): boolean {
  const seriesOf = (one: string): string => one.split('.').slice(0, 2).join('.');
  const first = SAFE_FOR_LOCAL.find((safe) => seriesOf(safe) === seriesOf(version)) ?? SAFE_FOR_LOCAL.at(-1);
  return first !== undefined && compareVersions(version, first) >= 0;
}

/** From `git version 2.39.5 (Apple Git-154)`: `2.39.5`. */
export function parseVersion(text: string): string {
  const [major = '0', minor = '0', patch = '0'] = (/(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? []).slice(1);
  return `${major}.${minor}.${patch}`;
}

async function readVersion(env: ProcessEnv, signal: AbortSignal): Promise<string> {
  try {
    const { stdout } = await runProcess('git', ['version'], { env, signal });
    return stdout;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? refused('git is not installed on the builder', '2.37')
      : error;
  }
}

function refused(problem: string, remedy: string): FairleadError {
  return new FairleadError('SOURCE_UNREACHABLE', `${problem}; install git ${remedy} or later`);
}
