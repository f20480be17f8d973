import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitRange } from '../../domain/deploys/source-ports.ts';
import { CUT_MARK } from '../../domain/logs/cut-line.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { FETCH, NOT_GIVEN } from './clone-commit.ts';
import { explainGitFailure, type GitPlace } from './git-errors.ts';
import type { GitSession } from './git-session.ts';
import { SESSION_PREFIX } from './sweep-sessions.ts';

export interface SubjectsInput extends Omit<CommitRange, 'url' | 'org'> {
  readonly session: GitSession;
  readonly place: GitPlace;
  /** What git is given. */
  readonly address: string;
}

/** Longest subject in columns; git writes no more of one. */
const MOST_COLUMNS = 200;

/**
 * Fetches the last commits before two commits without their files, and lists the subjects of those that the later one has
 * and the earlier one has not. Empty where the server does not give both out, such as after a force push.
 * @throws what the git failure means
 */
export async function commitSubjects(input: SubjectsInput): Promise<readonly string[]> {
  const { session, place, address, since, until, limit } = input;
  // Named as a session is, whose sweep removes what a killed process left.
  const directory = await mkdtemp(join(tmpdir(), `${SESSION_PREFIX}${process.pid}-log-`));
  try {
    const objects = until.length === 64 ? 'sha256' : 'sha1';
    await session.run(['init', '--quiet', `--object-format=${objects}`, '--', directory]);
    const wanted = since === null ? [until] : [until, since];
    const history = [`--depth=${limit + 1}`, '--filter=tree:0'];
    const fetched = await session.attempt([...FETCH, ...history, '--', address, ...wanted], directory);
    if (fetched.exitCode !== 0) {
      if (NOT_GIVEN.test(fetched.stderr)) return [];
      throw explainGitFailure(fetched.stderr, place);
    }
    const range = since === null ? [until] : [until, `^${since}`];
    const format = `--format=%<(${MOST_COLUMNS},trunc)%s`;
    const log = await session.run(['log', '-z', format, `--max-count=${limit}`, ...range, '--'], directory);
    return log.split('\0').flatMap((column) => subjectOf(column) || []);
  } finally {
    await removeTree(directory);
  }
}

/** git fills a short subject up with blanks, and ends one that it cut with two dots: those stand where a secret may. */
function subjectOf(column: string): string {
  return column.endsWith('..') ? column.slice(0, -2) + CUT_MARK : column.trim();
}
