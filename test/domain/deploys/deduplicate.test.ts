import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BuildSource } from '../../../domain/deploys/build.ts';
import type { BuildKind } from '../../../domain/deploys/build-kind.ts';
import { decideTrigger, type InFlightBuild } from '../../../domain/deploys/deduplicate.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const git = (changes: Partial<Extract<BuildSource, { kind: 'git' }>> = {}): BuildSource => ({
  kind: 'git',
  url: 'https://git.example/a.git',
  branch: 'main',
  commit: null,
  ...changes,
});
const archive = (sha256: string): BuildSource => ({ kind: 'archive', archiveId: `arc_${sha256}`, sha256 });
const queued = (source = git(), kind: BuildKind = 'deploy'): InFlightBuild => ({
  kind,
  source,
  cloned: false,
  commitSha: null,
});
const cloned = (source = git(), commitSha: string | null = A): InFlightBuild => ({
  kind: 'deploy',
  source,
  cloned: true,
  commitSha,
});

describe('decideTrigger', () => {
  const rows: readonly [string, InFlightBuild, BuildSource, BuildKind, ReturnType<typeof decideTrigger>][] = [
    ['a build that has not cloned yet always counts', queued(), git(), 'deploy', 'attach'],
    ['one that has cloned counts only if its commit is still the head', cloned(), git(), 'deploy', 'compare-head'],
    ['another branch is something else', queued(), git({ branch: 'next' }), 'deploy', 'new'],
    [
      'the default branch and a named one are not known to be the same',
      queued(),
      git({ branch: null }),
      'deploy',
      'new',
    ],
    ['another repository is something else', queued(), git({ url: 'https://git.example/b.git' }), 'deploy', 'new'],
    ['the pinned commit that is being built', cloned(), git({ commit: A }), 'deploy', 'attach'],
    ['an abbreviated commit that is being built', cloned(), git({ commit: A.slice(0, 7) }), 'deploy', 'attach'],
    ['another pinned commit', cloned(), git({ commit: B }), 'deploy', 'new'],
    ['the same pinned commit before it is cloned', queued(git({ commit: A })), git({ commit: A }), 'deploy', 'attach'],
    ['a pinned commit while the branch is not resolved yet', queued(), git({ commit: A }), 'deploy', 'new'],
    ['the branch while a pinned commit is queued', queued(git({ commit: A })), git(), 'deploy', 'new'],
    ['the same archive uploaded again', queued(archive('1')), archive('1'), 'deploy', 'attach'],
    ['the same archive while it is built', cloned(archive('1'), null), archive('1'), 'deploy', 'attach'],
    ['another archive', queued(archive('1')), archive('2'), 'deploy', 'new'],
    ['an archive while git is built', queued(), archive('1'), 'deploy', 'new'],
    ['a rollback is always something new', queued(), git(), 'rollback', 'new'],
    ['a retry is always something new', queued(), git(), 'retry', 'new'],
    ['nothing joins a rollback', queued(git(), 'rollback'), git(), 'deploy', 'new'],
  ];
  for (const [name, inFlight, source, kind, expected] of rows) {
    it(`${name}: ${expected}`, () => assert.equal(decideTrigger(inFlight, { kind, source }), expected));
  }
});
