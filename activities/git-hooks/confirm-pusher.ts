import { FairleadError } from '../../domain/errors.ts';
import { type GitConnection, sealingContext, TOKEN_KEY } from '../../domain/git-hooks/connection.ts';
import type { PushedBuild } from '../../domain/git-hooks/messages.ts';
import { hostOfRepository } from '../../domain/git-identities/git-host-name.ts';
import type { GitHooksActivityDeps } from './deps.ts';

type Deps = Pick<GitHooksActivityDeps, 'gitHost' | 'cipher' | 'gitIdentities'>;
export type Pusher = NonNullable<PushedBuild['confirmedPusher']>;

/**
 * True where the git host itself says that this account pushed the head. A delivery alone does not show it: whoever knows the
 * hook's secret, such as an admin of the org, can sign one that names a colleague. The host is asked at its own API, beside
 * the repository, by the token of the connection; an API that the connection names elsewhere could say anything. Only
 * accounts that a person linked are asked about. What is not to be known now is not confirmed: the build waits for nobody.
 * @throws the abort reason
 */
export async function isPusherConfirmed(
  { gitHost, cipher, gitIdentities }: Deps,
  { id, provider, repository, proof, token: sealed }: GitConnection,
  { pusher, ...head }: { readonly pusher: Pusher; readonly ref: string; readonly commit: string },
  signal: AbortSignal,
): Promise<boolean> {
  const host = hostOfRepository(provider, repository);
  // A plain token proves nothing of what was sent.
  if (proof !== 'signature' || sealed === null || host === null || gitHost === null || cipher === null) return false;
  try {
    if ((await gitIdentities.findPerson({ hostKey: host.key, ...pusher })) === null) return false;
    const token = cipher.open(sealed, sealingContext(id, TOKEN_KEY));
    const hosted = { provider, repositoryUrl: repository, apiUrl: null, token };
    return (await gitHost.findPusher(hosted, head, signal)) === pusher.accountId;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FairleadError) return false;
    throw error;
  }
}
