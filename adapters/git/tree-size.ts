import { FairleadError } from '../../domain/errors.ts';
import { DEFAULT_EXTRACT_LIMITS } from '../archives/extract-archive.ts';
import type { ProcessResult } from '../process/run-process.ts';
import { type GitPlace, shown } from './git-errors.ts';
import type { GitSession } from './git-session.ts';

/** What a checkout may write: the same as an archive. */
export interface TreeLimits {
  /** Files and folders together. */
  readonly entries: number;
  readonly totalBytes: number;
}

/**
 * Counts what a checkout of a commit would write, and stops at the limits: a few objects that name each other many times
 * over are a few kilobytes to fetch and millions of files to write.
 * @returns how git ended, which fails where there is no such commit
 * @throws SOURCE_REFUSED past a limit
 */
export async function requireTreeWithin(
  { session, place, directory }: { session: GitSession; place: GitPlace; directory: string },
  commit: string,
  { entries, totalBytes }: TreeLimits = DEFAULT_EXTRACT_LIMITS,
): Promise<ProcessResult> {
  let count = 0;
  let bytes = 0;
  const take = (size: string): void => {
    count += 1;
    // Folders and submodules have a dash.
    bytes += Number(size) || 0;
    if (count > entries) throw tooLarge(place, `more than ${entries} files and folders`);
    if (bytes > totalBytes) throw tooLarge(place, `files of more than ${totalBytes / 1024 ** 2} MiB`);
  };
  const list = ['ls-tree', '-r', '-t', '--full-tree', '--format=%(objectsize)', commit];
  return await session.attempt(list, directory, (line, stream) => stream === 'stdout' && take(line));
}

function tooLarge(place: GitPlace, what: string): FairleadError {
  const remedy = 'take out what the build does not need, or build a smaller repository';
  return new FairleadError('SOURCE_REFUSED', `${shown(place)} holds ${what}; ${remedy}`);
}
