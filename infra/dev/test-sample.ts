import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A whole run plays one of so many points of an exhaustive matrix. */
export const SAMPLED_OF = 3;

/**
 * Which points of an exhaustive matrix a whole run plays: those whose number leaves this rest. It goes on by one with each
 * commit, so that as many commits as {@link SAMPLED_OF} play all; in a shallow clone, which does not know its number, it
 * follows from the commit's hash. Null without git, where all are played.
 */
export async function sampleOf(root: string): Promise<number | null> {
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', args, { cwd: root })).stdout.trim();
  try {
    const isShallow = (await git('rev-parse', '--is-shallow-repository')) === 'true';
    const number = isShallow
      ? Number.parseInt((await git('rev-parse', 'HEAD')).slice(0, 8), 16)
      : Number(await git('rev-list', '--count', 'HEAD'));
    return number % SAMPLED_OF;
  } catch {
    // No git, no checkout, or no commit.
    return null;
  }
}
