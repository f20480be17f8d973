import type { SecretCipher } from '../../domain/config/ports.ts';
import type { RepositoryTokens } from '../../domain/deploys/source-ports.ts';
import { parseRepository, sealingContext, TOKEN_KEY } from '../../domain/git-hooks/connection.ts';
import type { GitConnectionStore } from '../../domain/git-hooks/ports.ts';

export interface ConnectionTokensOptions {
  readonly connections: Pick<GitConnectionStore, 'findFor'>;
  /** Null when no CONFIG_ENCRYPTION_KEY is set: then no connection has a token. */
  readonly cipher: SecretCipher | null;
  readonly platformGitUrl: string | null;
}

/** The tokens that orgs gave with their connections: each for one repository, by its one name for all spellings. */
export function createConnectionTokens({
  connections,
  cipher,
  platformGitUrl,
}: ConnectionTokensOptions): RepositoryTokens {
  return {
    async find({ url, org }) {
      if (cipher === null) return null;
      const repositoryKey = parseRepository(url, platformGitUrl).key;
      const connection = await connections.findFor({ org, repositoryKey });
      if (connection === null || connection.token === null) return null;
      const token = cipher.open(connection.token, sealingContext(connection.id, TOKEN_KEY));
      return { username: connection.provider === 'github' ? 'x-access-token' : 'oauth2', token };
    },
  };
}
