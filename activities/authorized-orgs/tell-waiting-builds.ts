import type { SharedWith } from '../../domain/authorized-orgs/messages.ts';
import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import { eachItem } from '../../domain/each-item.ts';
import { targetKey } from '../../domain/ids.ts';
import type { SharingDeps } from './deps.ts';
import { servicesOf } from './services-of.ts';

type Deps = Pick<SharingDeps, 'services' | 'builds' | 'workflows'>;

/** Ids of services in one question. */
const LOT = 200;

/**
 * Has every coordinator of an org's services that has an open build look at what the build waits for: with the org let in,
 * it may wait for nothing any more. A build that does not wait yet looks when it begins to. @throws UNAVAILABLE
 */
export async function tellWaitingBuilds(deps: Deps, { org, takenOut }: SharedWith): Promise<void> {
  if (takenOut !== undefined) return;
  const own = (await servicesOf(deps, org)).filter((service) => service.org === org).map(({ id }) => id);
  const targets = new Map<string, DeployTarget>();
  for (let from = 0; from < own.length; from += LOT) {
    const filter = { serviceIds: own.slice(from, from + LOT), open: true };
    for await (const { service, environment } of eachItem((page) => deps.builds.list(filter, page)))
      targets.set(targetKey(service, environment), { service, environment });
  }
  for (const target of targets.values()) await deps.workflows.tellDecided(target);
}
