export const BUILD_KINDS = ['deploy', 'retry', 'rollback', 'restart'] as const;

/**
 * `deploy` runs every step; `retry` reuses what an earlier build made; `rollback` installs an earlier release; `restart`
 * installs the active release once more, with the credentials that its service has now.
 */
export type BuildKind = (typeof BUILD_KINDS)[number];

/** True of a build that installs a release which was built before: it fetches and builds nothing. */
export function isReinstall(kind: BuildKind): boolean {
  return kind === 'rollback' || kind === 'restart';
}
