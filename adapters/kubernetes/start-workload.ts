import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { notForwarded } from '../../domain/deploys/listening.ts';
import type { Workload, WorkloadSpec } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { RegistryAuth } from '../docker/registry-auth.ts';
import { type ClusterApi, clusterError, type ObjectPlace } from './cluster-api.ts';
import {
  type DeploymentObject,
  type Metadata,
  placeOf,
  podsOf,
  type ServiceObject,
  workloadOf,
} from './cluster-objects.ts';
import { readImageFacts } from './image-facts.ts';
import { ANNOTATIONS, LABELS, NAMES, namespaceName, workloadName } from './names.ts';
import { type NamespaceFacts, namespaceManifests } from './namespace-manifests.ts';
import { removeObjects } from './remove-workload.ts';
import { untilStarted } from './rollout.ts';
import { workloadManifests } from './workload-manifests.ts';

export interface StartOptions {
  readonly api: ClusterApi;
  readonly stackId: string;
  readonly registry: RegistryAuth;
  readonly namespace: NamespaceFacts;
  readonly now: Clock;
}

const POLL_MS = 200;
const COUNTED_MS = 10_000;

/**
 * Applies the objects of a workload and waits until its process has started, or it is known why it does not. Those of this
 * build that are there already are put right; ones at another port or of another release are made anew.
 * @throws INSTALL_FAILED; HEALTH_CHECK_FAILED for one on the loopback of its pod; UNAVAILABLE; the abort reason
 */
export async function startWorkload(
  spec: WorkloadSpec,
  context: EffectContext,
  options: StartOptions,
): Promise<Workload> {
  const { signal } = context;
  const doing = `Installing ${spec.service} in ${spec.environment}`;
  try {
    signal.throwIfAborted();
    requireNames(spec);
    if (spec.onLoopback) throw notForwarded(spec);
    const image = await readImageFacts(spec.image, options.registry, signal);
    await ensureNamespace(spec, context, options);
    const place = placeOf({ id: `${namespaceName(spec)}/${workloadName(spec.buildId)}` });
    const existing = await adoptable(spec, place, context, options);
    const startedAt = new Date(existing?.metadata.annotations?.[ANNOTATIONS.startedAt] ?? options.now());
    const { stackId, namespace, api } = options;
    for (const object of workloadManifests(spec, {
      ...{ stackId, image, startedAt, hasRegistryLogin: namespace.registry !== null },
    })) {
      signal.throwIfAborted();
      await api.apply(object);
    }
    const failure = await untilStarted(api, { place, buildId: spec.buildId }, context);
    if (failure !== null) {
      await removeObjects(api, place, spec.buildId, 0);
      throw new FairleadError('INSTALL_FAILED', `${doing}: ${failure}`);
    }
    return await found(api, place, spec.buildId);
  } catch (error) {
    signal.throwIfAborted();
    throw clusterError(error, doing, 'INSTALL_FAILED');
  }
}

/** The workload of a place as it is now. @throws INSTALL_FAILED when it is gone */
export async function found(api: ClusterApi, place: ObjectPlace, buildId: string): Promise<Workload> {
  const [deployment, service, pods] = await Promise.all([
    api.get<DeploymentObject>(place),
    api.get<ServiceObject>({ ...place, kind: 'Service' }),
    podsOf(api, place, buildId),
  ]);
  if (deployment === null) throw new FairleadError('INSTALL_FAILED', 'Its deployment is gone; deploy or roll back');
  return workloadOf(deployment, service ?? undefined, pods.items);
}

/** The API takes printable ASCII in names of variables; the container engine takes more. */
function requireNames({ env }: WorkloadSpec): void {
  const refused = Object.keys(env).filter((name) => !/^[\x20-\x3c\x3e-\x7e]+$/.test(name));
  if (refused.length === 0) return;
  const message = `A cluster takes no variables of the names ${refused.join(', ')}: use letters, digits and _`;
  throw new FairleadError('INSTALL_FAILED', message);
}

/** The deployment of this build that is to be kept; one that is not is removed. */
async function adoptable(
  spec: WorkloadSpec,
  place: ObjectPlace,
  { onLine }: EffectContext,
  { api }: StartOptions,
): Promise<DeploymentObject | null> {
  const existing = await api.get<DeploymentObject>(place);
  if (existing === null) return null;
  const [container] = existing.spec.template.spec.containers;
  const isRelease = existing.metadata.annotations?.[ANNOTATIONS.release] === spec.releaseId;
  const isWanted = container?.image === spec.image && container.ports?.[0]?.containerPort === spec.port;
  if (isRelease && isWanted && existing.spec.replicas !== 0 && existing.metadata.deletionTimestamp === undefined) {
    onLine(`Found deployment ${place.name} of an earlier attempt`);
    return existing;
  }
  onLine(`Replacing deployment ${place.name}, which does not run, or not at port ${spec.port}`, 'warn');
  await removeObjects(api, place, spec.buildId, 0);
  return null;
}

/** @throws INSTALL_FAILED for a namespace that Fairlead did not make */
async function ensureNamespace(spec: WorkloadSpec, { signal }: EffectContext, options: StartOptions): Promise<void> {
  const { api, stackId, namespace: facts } = options;
  const name = namespaceName(spec);
  const read = () => api.get<{ readonly metadata: Metadata }>({ kind: 'Namespace', namespace: null, name });
  let existing = await read();
  while (existing?.metadata.deletionTimestamp !== undefined) {
    signal.throwIfAborted();
    await delay(POLL_MS);
    existing = await read();
  }
  if (existing !== null && existing.metadata.labels?.[LABELS.stack] !== stackId) {
    const message = `The cluster has a namespace ${name} that is not of this installation: remove it, or give it the label ${LABELS.stack}=${stackId}`;
    throw new FairleadError('INSTALL_FAILED', message);
  }
  for (const object of namespaceManifests(spec, facts)) await api.apply(object);
  if (facts.registry === null) await api.remove({ kind: 'Secret', namespace: name, name: NAMES.registry });
  await untilCounted(api, name, signal);
}

/** Until the cluster has counted what a namespace has, its quota lets every pod in, or none. */
async function untilCounted(api: ClusterApi, namespace: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + COUNTED_MS;
  const place = { kind: 'ResourceQuota', namespace, name: NAMES.quota } as const;
  const isCounted = async () => (await api.get<{ readonly status?: { readonly used?: object } }>(place))?.status?.used;
  while (performance.now() < deadline && !(await isCounted())) await delay(POLL_MS, undefined, { signal });
}
