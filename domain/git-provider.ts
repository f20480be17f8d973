/** Products whose API the platform speaks. Forgejo keeps the API of Gitea; it is named apart because people know it so. */
export const GIT_PROVIDERS = ['github', 'gitea', 'forgejo', 'gitlab'] as const;

/** As a command takes one: `--provider <this>`. */
export const PROVIDER_CHOICE = GIT_PROVIDERS.join('|');

export type GitProvider = (typeof GIT_PROVIDERS)[number];
