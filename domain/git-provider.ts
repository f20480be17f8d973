/** Products whose API the platform speaks. Forgejo keeps the API of Gitea; it is named apart because people know it so. */
export const GIT_PROVIDERS = ['github', 'gitea', 'forgejo', 'gitlab'] as const;

export type GitProvider = (typeof GIT_PROVIDERS)[number];
