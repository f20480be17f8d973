import { epochIsOver } from '../../domain/deploys/epoch.ts';
import type { EdgeRouter, RouteTarget } from '../../domain/deploys/workload-runtime.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type ClusterApi, clusterError } from './cluster-api.ts';
import { type DeploymentObject, placeOf, type ServiceObject } from './cluster-objects.ts';
import { ANNOTATIONS, LABELS, NAMES, namespaceName, type ServiceTarget } from './names.ts';
import { routeManifests } from './workload-manifests.ts';

export interface ClusterRoutesOptions {
  readonly api: ClusterApi;
  readonly stackId: string;
  /** The routes of the platform's own router, which decide: what is in the cluster follows them. */
  readonly edge: EdgeRouter;
  /** The class of ingress controllers that serve routes as well; null where none does. */
  readonly ingressClass: string | null;
}

/**
 * Public routes of workloads in a cluster: those of the platform's router, and for each one a Service by which other workloads
 * reach whatever serves, and an Ingress where the cluster has a controller for it. A switch of the Service is one write.
 */
export function createClusterRoutes(options: ClusterRoutesOptions): EdgeRouter {
  const { api, edge } = options;
  const inCluster = async (doing: string, change: () => Promise<void>): Promise<void> => {
    try {
      await change();
    } catch (error) {
      throw clusterError(error, doing);
    }
  };
  return {
    ...edge,
    async route(service, environment, target, epoch) {
      await edge.route(service, environment, target, epoch);
      await inCluster(`Routing ${service} in ${environment}`, () =>
        apply({ service, environment }, { options, target, epoch }),
      );
    },
    async unroute(service, environment, epoch) {
      await edge.unroute(service, environment, epoch);
      const namespace = namespaceName({ service, environment });
      await inCluster(`Taking the route of ${service} in ${environment} away`, async () => {
        await requireEpoch(api, { service, environment }, epoch);
        for (const kind of ['Ingress', 'Service'] as const) await api.remove({ kind, namespace, name: NAMES.route });
      });
    },
  };
}

async function apply(
  target: ServiceTarget,
  { options, target: to, epoch }: { options: ClusterRoutesOptions; target: RouteTarget; epoch: number },
): Promise<void> {
  const { api, stackId, edge, ingressClass } = options;
  const resourceVersion = await requireEpoch(api, target, epoch);
  const deployment = await api.get<DeploymentObject>(placeOf({ id: to.workloadId }));
  if (deployment === null) throw new FairleadError('CONFLICT', `The workload ${to.workloadId} is gone`);
  const port = deployment.spec.template.spec.containers[0]?.ports?.[0]?.containerPort ?? 0;
  const buildId = deployment.metadata.labels?.[LABELS.build] ?? '';
  const hosts = hostsOf(edge, target.service, target.environment);
  const ingress = ingressClass === null ? null : { className: ingressClass, hosts };
  const [service, ...others] = routeManifests(target, {
    ...{ stackId, buildId, workloadId: to.workloadId, port, epoch, ingress },
  });
  if (service === undefined) return;
  // Of two writers that read the same one, the cluster takes one.
  const metadata = { ...service.metadata, ...(resourceVersion === null ? {} : { resourceVersion }) };
  await api.apply({ ...service, metadata });
  for (const object of others) await api.apply(object);
}

function hostsOf(edge: EdgeRouter, service: string, environment: Environment): readonly string[] {
  return edge.urls(service, environment).map((url) => new URL(url).hostname);
}

/** @returns the version of the Service that is there; null for none. @throws CONFLICT when it was set in a newer epoch */
async function requireEpoch(api: ClusterApi, target: ServiceTarget, epoch: number): Promise<string | null> {
  const place = { kind: 'Service', namespace: namespaceName(target), name: NAMES.route } as const;
  const service = await api.get<ServiceObject>(place);
  if (service === null) return null;
  if (Number(service.metadata.annotations?.[ANNOTATIONS.epoch] ?? 0) > epoch) throw epochIsOver(target, epoch);
  return service.metadata.resourceVersion ?? null;
}
