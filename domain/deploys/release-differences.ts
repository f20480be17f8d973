import { type ReleaseChanges, releaseChanges } from './release-changes.ts';

/** What is compared of a release. Values stay here: only names of what differs leave. */
export interface ComparedRelease {
  readonly id: string;
  readonly commitSha: string | null;
  /** Variables by name, secrets opened; null for one that cannot be read. */
  readonly values: Readonly<Record<string, string | null>>;
  /** Scopes of other services that its catalog asks for, such as `shop:read`; null where that is not known. */
  readonly scopes: readonly string[] | null;
  /** What is new in it, as its build found it. */
  readonly notes: string | null;
}

/** What a release has that an earlier one did not, by names. */
export interface ReleaseDifferences {
  /** Id of the earlier release. */
  readonly since: string;
  readonly commit: { readonly from: string | null; readonly to: string | null } | null;
  readonly notes: string | null;
  readonly variables: ReleaseChanges;
  /** Null where those of one of them are not known. */
  readonly scopes: { readonly added: readonly string[]; readonly removed: readonly string[] } | null;
}

export function releaseDifferences(release: ComparedRelease, earlier: ComparedRelease): ReleaseDifferences {
  const isSameCommit = release.commitSha === earlier.commitSha;
  return {
    since: earlier.id,
    commit: isSameCommit ? null : { from: earlier.commitSha, to: release.commitSha },
    notes: isSameCommit ? null : release.notes,
    variables: releaseChanges(earlier.values, release.values, {}),
    scopes: scopeDifferences(release.scopes, earlier.scopes),
  };
}

function scopeDifferences(has: ComparedRelease['scopes'], had: ComparedRelease['scopes']) {
  if (has === null || had === null) return null;
  return {
    added: has.filter((scope) => !had.includes(scope)),
    removed: had.filter((scope) => !has.includes(scope)),
  };
}
