import { FairleadError } from '../../domain/errors.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { runProcess } from '../process/run-process.ts';

type Version = readonly [major: number, minor: number, patch: number];

/** The first git that connects to the addresses it is told (`http.curloptResolve`); older ones ignore the setting. */
const MINIMUM: Version = [2, 37, 0];

/**
 * The first of each series in which a clone of a local repository, whoever owns it, runs nothing of it and follows no link
 * out of it (CVE-2024-32004, CVE-2024-32465). Series after the last one are good from their first.
 */
const SAFE_FOR_LOCAL: readonly Version[] = [
  [2, 39, 4],
  [2, 40, 2],
  [2, 41, 1],
  [2, 42, 2],
  [2, 43, 4],
  [2, 44, 1],
  [2, 45, 1],
];

/** Throws SOURCE_UNREACHABLE when git is missing or too old for a source of that kind. */
export type RequireGit = (signal: AbortSignal, kind: 'http' | 'local') => Promise<void>;

/** A check that git is there and new enough; git is asked until it answered once. */
export function createGitCheck(env: ProcessEnv): RequireGit {
  let known: Version | null = null;
  return async (signal, kind) => {
    known ??= parseVersion(await readVersion(env, signal));
    const shown = known.join('.');
    if (isBefore(known, MINIMUM)) throw refused(`git on the builder is too old (${shown})`, '2.37');
    if (kind === 'local' && !isSafeForLocal(known)) {
      throw refused(`git ${shown} on the builder is not safe for local repositories`, '2.39.4, 2.45.1');
    }
  };
}

/** True when that version has no known hole in clones of local repositories. */
export function isSafeForLocal(version: Version): boolean {
  const last = SAFE_FOR_LOCAL.at(-1) ?? MINIMUM;
  const series = SAFE_FOR_LOCAL.find(([major, minor]) => major === version[0] && minor === version[1]);
  return series === undefined ? !isBefore(version, last) : !isBefore(version, series);
}

/** From `git version 2.39.5 (Apple Git-154)`. */
export function parseVersion(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = (/(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? []).slice(1).map(numberOf);
  return [major, minor, patch];
}

const numberOf = (digits: string | undefined): number => Number(digits ?? 0);

function isBefore(version: Version, other: Version): boolean {
  const index = version.findIndex((part, at) => part !== other[at]);
  return index !== -1 && (version[index] ?? 0) < (other[index] ?? 0);
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
