import type { GitProvider } from '../../domain/git-provider.ts';
import { giteaApi } from './gitea-api.ts';
import { githubApi } from './github-api.ts';
import { gitlabApi } from './gitlab-api.ts';
import type { ProviderApi } from './provider-api.ts';

/** The one table of providers. */
export const PROVIDER_APIS: Readonly<Record<GitProvider, ProviderApi>> = {
  github: githubApi,
  gitea: giteaApi('Gitea'),
  forgejo: giteaApi('Forgejo'),
  gitlab: gitlabApi,
};
