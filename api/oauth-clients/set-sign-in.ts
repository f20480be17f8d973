import type { z } from 'zod';
import { epochIsOver } from '../../domain/deploys/epoch.ts';
import type { SignInReply, signInBodySchema } from '../../domain/oauth-clients/client-schema.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { auditClient } from './client-audit.ts';
import { requireSameOwner } from './provision-client.ts';
import { requireFound } from './require-client.ts';
import { voidingTokensOfClient } from './void-client-tokens.ts';

/**
 * Sets who may sign in to a service. Where that is fewer people, access tokens of the client are void: who may still
 * sign in gets others by refreshing. Idempotent; the epoch is kept also where the rule stays, for a worker that was
 * paused with an older one must not change it afterwards.
 * @throws CLIENT_NOT_FOUND; CLIENT_EXISTS when the client of that id is not this service's; CONFLICT for an epoch that is over
 */
export async function setSignIn(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  { signIn, epoch, ...wanted }: z.output<typeof signInBodySchema>,
): Promise<SignInReply> {
  const clientId = serviceClientId(wanted.service, wanted.environment);
  const client = requireFound(await deps.clients.find(clientId), clientId);
  requireSameOwner(client, wanted);
  const write = async (): Promise<void> => {
    if (await deps.clients.setSignIn(clientId, { signIn, epoch })) return;
    requireFound(await deps.clients.find(clientId), clientId);
    throw epochIsOver(wanted, epoch);
  };
  if (client.signInEpoch > epoch) throw epochIsOver(wanted, epoch);
  if (client.signIn === signIn) {
    await write();
    return { clientId, changed: false };
  }
  const data = { signIn_before: client.signIn, signIn_after: signIn };
  await auditClient(deps, context, { type: 'oauth.client_updated', client, data });
  if (signIn === 'anyone') await write();
  else await voidingTokensOfClient(deps, clientId, write);
  return { clientId, changed: true };
}
