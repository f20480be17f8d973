import type { SecretCipher } from '../config/ports.ts';
import { type GitConnection, sealingContext, TOKEN_KEY } from './connection.ts';
import type { HostedRepository } from './git-host.ts';

/** The repository of a connection with the token in clear; null without a token. @throws INTERNAL for a token that no key opens */
export function hostedRepository(
  cipher: SecretCipher | null,
  {
    id,
    provider,
    repository,
    apiUrl,
    token,
  }: Pick<GitConnection, 'id' | 'provider' | 'repository' | 'apiUrl' | 'token'>,
): HostedRepository | null {
  if (token === null || cipher === null) return null;
  const opened = cipher.open(token, sealingContext(id, TOKEN_KEY));
  return { provider, repositoryUrl: repository, apiUrl, token: opened };
}
