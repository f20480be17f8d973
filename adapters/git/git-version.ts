import { FairleadError } from '../../domain/errors.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { runProcess } from '../process/run-process.ts';

/** The first git that connects to the addresses it is told (`http.curloptResolve`); older ones ignore the setting. */
const MINIMUM = { major: 2, minor: 37 } as const;

/** A check that git is there and new enough; it asks until the answer was yes once. */
export function createGitCheck(env: ProcessEnv): (signal: AbortSignal) => Promise<void> {
  let checked = false;
  return async (signal) => {
    if (checked) return;
    const version = await readVersion(env, signal);
    const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
    if (major < MINIMUM.major || (major === MINIMUM.major && minor < MINIMUM.minor)) {
      throw missing(`git on the builder is too old (${version.trim()})`);
    }
    checked = true;
  };
}

async function readVersion(env: ProcessEnv, signal: AbortSignal): Promise<string> {
  try {
    const { stdout } = await runProcess('git', ['version'], { env, signal });
    return stdout;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? missing('git is not installed on the builder') : error;
  }
}

function missing(problem: string): FairleadError {
  return new FairleadError('SOURCE_UNREACHABLE', `${problem}; install git ${MINIMUM.major}.${MINIMUM.minor} or later`);
}
