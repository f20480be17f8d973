export const BUILD_KINDS = ['deploy', 'retry', 'rollback'] as const;

/** `deploy` runs every step; `retry` reuses what an earlier build made; `rollback` installs an earlier release. */
export type BuildKind = (typeof BUILD_KINDS)[number];
