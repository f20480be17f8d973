import { counterpartOf, redirectOf } from '../../domain/custom-domains/canonical.ts';
import type { EdgeHostTarget } from '../../domain/custom-domains/certificates/ports.ts';
import {
  type CustomDomain,
  type DomainHolder,
  type HeldDomain,
  isHeld,
  isRouted,
  isVerified,
  wantsCertificate,
} from '../../domain/custom-domains/custom-domain.ts';
import type { DomainFilter } from '../../domain/custom-domains/ports.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import { SERVICE_CALLBACK_PATH } from '../../domain/oauth-clients/redirect-uri.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** Where people come back to after signing in at a name. */
export const callbackOf = (domain: string): string => `https://${domain}${SERVICE_CALLBACK_PATH}`;

/**
 * Makes what leads a name to its service what its record says: the route, in direct mode the certificate, and the callback of
 * the service's OAuth client. Idempotent: each says a state.
 */
export async function settleDomain(deps: CustomDomainsDeps, record: HeldDomain): Promise<void> {
  await settleRoute(deps, record.domain);
  // It may be led to this one, or be no more.
  const counterpart = counterpartOf(record.domain);
  if (counterpart !== null) await settleRoute(deps, counterpart);
  const { mode, ownedSince, attachedAt } = record.holder;
  // One that was never known to be theirs has neither.
  if (ownedSince === null && attachedAt === null) return;
  if (mode === 'direct') await wishCertificate(deps, record.holder);
  await settleCallback(deps, record);
}

/**
 * Makes the route of a name what its record says, and looks once more whether it says so still: an attempt that was paused
 * and goes on leads nothing to who had the name before.
 */
export async function settleRoute(
  { domains, hosts }: Pick<CustomDomainsDeps, 'domains' | 'hosts'>,
  domain: string,
): Promise<void> {
  const counterpart = counterpartOf(domain);
  for (let settled = ''; ; ) {
    const record = await domains.find(domain);
    const other = counterpart === null ? null : await domains.find(counterpart);
    const revision = `${record?.revision ?? 0} ${other?.revision ?? 0}`;
    if (revision === settled) return;
    if (isHeld(record) && isRouted(record.holder)) await hosts.put(domain, targetOf(record.holder, other));
    else await hosts.remove(domain);
    settled = revision;
  }
}

function targetOf(holder: DomainHolder, other: CustomDomain | null): EdgeHostTarget {
  const { service, environment, mode, verifiedAt, hsts } = holder;
  // A redirect to TLS before that was seen served would lead to an error.
  const redirectToTls = mode === 'direct' && verifiedAt !== null;
  const redirectTo = redirectOf(holder, other);
  return {
    ...{ service, environment, serves: 'everything', redirectToTls },
    ...(redirectTo !== null && { redirectTo }),
    ...(redirectToTls && hsts && { hsts: true }),
  };
}

/**
 * Gives the OAuth client of a holder's service the callback of the name while people who sign in are led there and are served
 * over TLS, and takes it away else, whoever added it: the name may be another's by then. Looks once more as `settleRoute`. Of
 * a service without sign-in there is no client; a deploy that makes one adds the callbacks of its names.
 */
export async function settleCallback(
  deps: Pick<CustomDomainsDeps, 'domains' | 'clients'>,
  { domain, holder }: HeldDomain,
): Promise<void> {
  for (let settled = -1; ; ) {
    const record = await deps.domains.find(domain);
    const revision = record?.revision ?? 0;
    if (revision === settled) return;
    const now = record?.holder ?? null;
    const isSame = now?.serviceId === holder.serviceId && now.environment === holder.environment;
    // Before it was served first, one that is there was added by hand.
    const isLeft = isSame && now.verifiedAt === null && now.removingSince === null;
    if (!isLeft) await setCallback(deps, { domain, holder }, isSame && isVerified(now));
    settled = revision;
  }
}

async function setCallback(
  deps: Pick<CustomDomainsDeps, 'clients'>,
  { domain, holder }: Pick<HeldDomain, 'domain' | 'holder'>,
  isWanted: boolean,
): Promise<void> {
  const client = await ownClient(deps, holder);
  if (deps.clients === null || client === null) return;
  const callback = callbackOf(domain);
  if (client.redirectUris.includes(callback) === isWanted) return;
  const change = isWanted ? deps.clients.addRedirectUri : deps.clients.removeRedirectUri;
  try {
    await change(client.clientId, callback, { actor: holder.addedBy });
  } catch (error) {
    // What is gone meanwhile has no callback either.
    if (!(error instanceof FairleadError) || !['CLIENT_NOT_FOUND', 'NOT_FOUND'].includes(error.code)) throw error;
  }
}

/** The client of the service. Anyone may make one of such an id: it is the service's by its record alone. */
async function ownClient(
  { clients }: Pick<CustomDomainsDeps, 'clients'>,
  { service, environment }: Pick<DomainHolder, 'service' | 'environment'>,
) {
  const client = (await clients?.find(serviceClientId(service, environment))) ?? null;
  return client?.service === service ? client : null;
}

/**
 * Wishes for a certificate with all names of a service in an environment that are known to be its own, and looks once more
 * whether these were all: two names that change at once both end with the list that has both changes.
 * @throws UNAVAILABLE (retryable)
 */
export async function wishCertificate(
  deps: Pick<CustomDomainsDeps, 'domains' | 'certificates'>,
  holder: Pick<DomainHolder, 'serviceId' | 'service' | 'environment'>,
): Promise<void> {
  const { service, environment } = holder;
  let names = await ownNames(deps, holder);
  for (;;) {
    await deps.certificates.set({ service, environment }, names);
    const now = await ownNames(deps, holder);
    if (now.join() === names.join()) return;
    names = now;
  }
}

/** By their names: those in direct mode that the service is known to own, and keeps. */
async function ownNames(
  { domains }: Pick<CustomDomainsDeps, 'domains'>,
  { serviceId, environment }: Pick<DomainHolder, 'serviceId' | 'environment'>,
): Promise<readonly string[]> {
  const filter: DomainFilter = { serviceIds: [serviceId], environment };
  const names: string[] = [];
  for await (const record of eachItem((page) => domains.list(filter, page))) {
    if (isHeld(record) && wantsCertificate(record.holder)) names.push(record.domain);
  }
  return names;
}
