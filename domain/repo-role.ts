/** What an org that shares a service may do with its repository at the git host (spec 2, "Authorized orgs", 3). */
export const REPO_ROLES = ['none', 'read', 'write', 'admin'] as const;

export type RepoRole = (typeof REPO_ROLES)[number];
