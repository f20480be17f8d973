import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { FairleadError } from '../../domain/errors.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import { serviceCallback } from '../../domain/oauth-clients/redirect-uri.ts';
import type { DeploysDeps } from './deps.ts';
import { type GiftHolder, type Gifts, settleEarlier, whileGiving } from './noted-gifts.ts';
import type { StepContext } from './step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'clients' | 'customDomains'>;

/**
 * Lets `work` give the client of a service the callbacks of its names, so that it keeps none of a name that was taken from
 * the service meanwhile: such a name may be another's soon, to whom nobody is to be sent after signing in. A removal takes
 * the name, then its callback; one that is added after that is taken back here. The names are noted before, for the next
 * attempt or deploy, should this one end in between.
 */
export async function whileAddingCallbacks<T>(
  deps: Deps,
  holder: GiftHolder,
  names: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  return await whileGiving(callbacksOf(deps), holder, names, work);
}

/** Settles what an attempt or deploy before this one left; while the provider is away, the next one does. */
export async function settleEarlierCallbacks(
  deps: Deps,
  context: Pick<StepContext, 'build' | 'warn'>,
  service: ServiceRecord,
): Promise<void> {
  await settleEarlier(callbacksOf(deps), context, service);
}

/** The callbacks of names that do not lead to the service are taken away. */
function callbacksOf({ services, clients, customDomains }: Deps): Gifts<string> {
  return {
    services,
    notedWith: ({ pendingCallbacks }) => pendingCallbacks,
    note: (id, environment, names) => services.setPendingCallbacks(id, environment, names),
    isSame: (one, other) => one === other,
    takeBack:
      clients &&
      (async ({ service, environment }, names) => {
        const kept = await customDomains.verified({ serviceId: service.id, environment });
        for (const name of names.filter((one) => !kept.includes(one))) {
          await removeCallback(clients, serviceClientId(service.name, environment), name);
        }
      }),
    later: 'Callbacks of domains that were removed are taken away by the next deploy.',
  };
}

const GONE: ReadonlySet<string> = new Set(['CLIENT_NOT_FOUND', 'NOT_FOUND']);

async function removeCallback(clients: NonNullable<Deps['clients']>, clientId: string, name: string): Promise<void> {
  const callback = serviceCallback(`https://${name}`);
  if (callback === null) return;
  try {
    await clients.removeRedirectUri(clientId, callback, { actor: 'internal' });
  } catch (error) {
    if (!(error instanceof FairleadError) || !GONE.has(error.code)) throw error;
  }
}
