import type { SharedWith } from '../../domain/authorized-orgs/messages.ts';
import { eachItem } from '../../domain/each-item.ts';
import type { SharingDeps } from './deps.ts';
import { eachOf } from './each-of.ts';
import { removeAdditions } from './remove-additions.ts';
import { takeScopes } from './take-scopes.ts';

/**
 * Takes from an org what it had by sharing a service, and says so to the history once all is taken. What gives access goes
 * first, and what cannot be taken keeps nothing else from being taken. Idempotent. @throws as `eachOf`
 */
export async function takeOut(deps: SharingDeps, of: SharedWith): Promise<void> {
  const { serviceId, org, takenOut } = of;
  const works = [() => removeAdditions(deps, of), () => takeScopes(deps, of)];
  // People are led to the service at names of that org no more. Last: a removal waits for routers and DNS providers.
  if (takenOut !== undefined) works.push(() => deps.customDomains.releaseOf(serviceId, { org, revision: takenOut }));
  await eachOf(works, (work) => work());
  if (takenOut !== undefined) await deps.sharingHistory.finish({ serviceId, org, takenOut });
}

/** The same for all orgs of which the history does not say that it was done. Idempotent. @throws as `eachOf` */
export async function finishTakingOut(deps: SharingDeps): Promise<void> {
  const unfinished = eachItem((page) => deps.sharingHistory.listUnfinished(page));
  await eachOf(unfinished, (of) => takeOut(deps, of));
}
