import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import type { EdgeRouter, RouteTarget } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';

/**
 * Sets the route, or takes it away, in an epoch, so that older writes are refused from then on. Where something newer has
 * set the route, it stays. Idempotent: it sets a state.
 */
export async function setRouteUnlessNewer(
  edge: EdgeRouter,
  { service, environment }: DeployTarget,
  { target, epoch }: { readonly target: RouteTarget | null; readonly epoch: number },
): Promise<void> {
  try {
    if (target === null) await edge.unroute(service, environment, epoch);
    else await edge.route(service, environment, target, epoch);
  } catch (error) {
    if (!(error instanceof FairleadError && error.code === 'CONFLICT')) throw error;
  }
}
