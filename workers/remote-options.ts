import type { deploysWorkerSection } from '../adapters/env/deploys.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createConnectionTokens } from '../adapters/git/connection-tokens.ts';
import type { RemoteOptions } from '../adapters/git/open-remote.ts';
import type { ProcessEnv } from '../adapters/process/base-env.ts';
import type { SecretCipher } from '../domain/config/ports.ts';
import type { GitConnectionStore } from '../domain/git-hooks/ports.ts';

/** How all modules of the worker read repositories: with the same tokens, by the same rule. */
export function remoteOptions(
  env: ReadSection<typeof deploysWorkerSection>,
  parts: {
    readonly connections: Pick<GitConnectionStore, 'findFor'>;
    readonly cipher: SecretCipher | null;
    readonly subprocessEnv: ProcessEnv;
  },
): RemoteOptions {
  const { connections, cipher, subprocessEnv } = parts;
  const gitUrl = env.GIT_URL ?? null;
  return {
    gitUrl,
    gitToken: env.GIT_TOKEN ?? null,
    githubToken: env.GITHUB_TOKEN ?? null,
    gitOwners: env.GIT_OWNERS,
    repositoryTokens: createConnectionTokens({ connections, cipher, platformGitUrl: gitUrl }),
    localSourcesRoot: env.LOCAL_SOURCES_ROOT ?? null,
    env: subprocessEnv,
  };
}
