import { isIP } from 'node:net';
import { posix } from 'node:path';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { WorkloadSpec } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ImageFacts } from './image-facts.ts';
import {
  ANNOTATIONS,
  callsLabel,
  LABELS,
  NAMES,
  namespaceName,
  type ServiceTarget,
  targetLabels,
  workloadName,
} from './names.ts';
import { DISK_LIMIT, DISK_REQUEST, quantityOfBytes } from './quantities.ts';

/** What the platform adds to a spec. */
export interface WorkloadFacts {
  readonly stackId: string;
  /** Whether the registry asks for a login, which the namespace has. */
  readonly hasRegistryLogin: boolean;
  readonly image: ImageFacts;
  readonly startedAt: Date;
}

const MIB = 1024 ** 2;
const TMP_LIMIT_BYTES = 64 * MIB;
const MOST_VOLUMES = 32;
/** Numeric user of workloads whose image names none, root, or a name. */
const DEFAULT_USER = 1001;
/** The usual folders that programs write to; as on the container engine. */
const USUAL_FOLDERS = ['/tmp', '/var/tmp', '/run', '/var/cache/nginx'];
/** How long it still takes requests after it was told to go: until then every proxy of the cluster knows. */
const DRAIN_SECONDS = 5;
/** How long it may take to end, with that. */
const GRACE_SECONDS = 30;

/** The objects of one workload, in the order in which they are applied. Its variables are plaintext in the Secret alone. */
export function workloadManifests(spec: WorkloadSpec, facts: WorkloadFacts): readonly KubernetesObject[] {
  const policy = egressManifest(spec, facts);
  const needed = [secretManifest(spec, facts), ...(policy === null ? [] : [policy])];
  return [...needed, deploymentManifest(spec, facts), serviceManifest(spec, facts)];
}

function metadataOf(spec: WorkloadSpec, { stackId, startedAt }: WorkloadFacts) {
  return {
    name: workloadName(spec.buildId),
    namespace: namespaceName(spec),
    labels: workloadLabels(stackId, spec),
    annotations: {
      [ANNOTATIONS.build]: spec.buildId,
      [ANNOTATIONS.release]: spec.releaseId,
      [ANNOTATIONS.startedAt]: startedAt.toISOString(),
    },
  };
}

function workloadLabels(stackId: string, spec: WorkloadSpec): Record<string, string> {
  return { ...targetLabels(stackId, spec), [LABELS.build]: spec.buildId, [LABELS.release]: spec.releaseId };
}

/** Names of variables are no keys of a Secret: each has a number instead, in the order of its names. */
const keyOf = (index: number): string => `value-${index}`;

const namesOf = ({ env }: Pick<WorkloadSpec, 'env'>): readonly string[] => Object.keys(env).sort();

function secretManifest(spec: WorkloadSpec, facts: WorkloadFacts): KubernetesObject {
  const data = namesOf(spec).map((name, index) => [keyOf(index), Buffer.from(spec.env[name] ?? '').toString('base64')]);
  const secret = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: metadataOf(spec, facts) };
  return { ...secret, data: Object.fromEntries(data) } as KubernetesObject;
}

/** The variables of a workload, from the objects in which it has them: the other way round of {@link workloadManifests}. */
export function variablesIn(
  env: readonly { readonly name: string; readonly valueFrom?: { readonly secretKeyRef?: { readonly key: string } } }[],
  data: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, valueFrom }) => [
      name,
      Buffer.from(data[valueFrom?.secretKeyRef?.key ?? ''] ?? '', 'base64').toString(),
    ]),
  );
}

function deploymentManifest(spec: WorkloadSpec, facts: WorkloadFacts): KubernetesObject {
  const metadata = metadataOf(spec, facts);
  const selector = { [LABELS.stack]: facts.stackId, [LABELS.build]: spec.buildId };
  const calls = Object.fromEntries(spec.dependencies.map(({ service }) => [callsLabel(service), 'true']));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      revisionHistoryLimit: 0,
      // What changes it never takes the one that serves away before the next one is ready.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: { ...metadata.labels, ...calls }, annotations: metadata.annotations },
        spec: podSpec(spec, facts),
      },
    },
  } as KubernetesObject;
}

function podSpec(spec: WorkloadSpec, facts: WorkloadFacts) {
  const folders = writableFolders(spec, facts.image);
  const volumeOf = (index: number): string => `folder-${index}`;
  const user = facts.image.user ?? DEFAULT_USER;
  return {
    // It has no account at the API server, and no list of the namespace's services in its variables.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    ...(facts.hasRegistryLogin ? { imagePullSecrets: [{ name: NAMES.registry }] } : {}),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: facts.image.group ?? user,
      fsGroup: facts.image.group ?? user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: NAMES.container,
        image: spec.image,
        // A digest names one content.
        imagePullPolicy: 'IfNotPresent',
        ports: [{ name: 'http', containerPort: spec.port }],
        env: namesOf(spec).map((name, index) => ({
          name,
          valueFrom: { secretKeyRef: { name: workloadName(spec.buildId), key: keyOf(index) } },
        })),
        resources: resourcesOf(spec),
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: spec.readOnlyRoot,
        },
        ...probesOf(spec),
        lifecycle: { preStop: { sleep: { seconds: DRAIN_SECONDS } } },
        ...(folders.length === 0
          ? {}
          : { volumeMounts: folders.map((mountPath, index) => ({ name: volumeOf(index), mountPath })) }),
      },
    ],
    ...(folders.length === 0
      ? {}
      : {
          volumes: folders.map((_, index) => ({
            name: volumeOf(index),
            // Memory, which counts towards the limit of the tier.
            emptyDir: { medium: 'Memory', sizeLimit: quantityOfBytes(temporaryBytes(spec)) },
          })),
        }),
  };
}

/** Limits of the tier, and requests of the catalog, else of the tier (spec 2, "Pod tiers"); of disk the same for all. */
function resourcesOf({ tier, requests }: WorkloadSpec) {
  return {
    limits: {
      cpu: `${tier.cpuLimitMillis}m`,
      memory: quantityOfBytes(tier.memoryLimitBytes),
      'ephemeral-storage': DISK_LIMIT,
    },
    requests: {
      cpu: `${requests?.cpuMillis ?? tier.cpuRequestMillis}m`,
      memory: quantityOfBytes(requests?.memoryBytes ?? tier.memoryRequestBytes),
      'ephemeral-storage': DISK_REQUEST,
    },
  };
}

/**
 * Ready is what answers its endpoint; where nobody declared one, what takes connections: a service may have no such page. Alive
 * is what takes connections, asked seldom: a service under load is slow, and a restart makes that worse.
 */
function probesOf({ port, healthEndpoint, healthRule }: WorkloadSpec) {
  const tcpSocket = { port };
  const answers = healthRule === 'declared' ? { httpGet: { path: healthEndpoint, port } } : { tcpSocket };
  return {
    readinessProbe: { ...answers, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 3 },
    livenessProbe: { tcpSocket, initialDelaySeconds: 300, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 6 },
  };
}

function writableFolders(
  { readOnlyRoot, writablePaths }: WorkloadSpec,
  { volumes, folder }: ImageFacts,
): readonly string[] {
  if (!readOnlyRoot) return [];
  if (volumes.length > MOST_VOLUMES) {
    const message = `The image has ${volumes.length} VOLUMEs and may have ${MOST_VOLUMES}`;
    throw new FairleadError('INSTALL_FAILED', message);
  }
  const own = writablePaths.map((path) => posix.resolve('/', folder, path));
  return [...new Set([...USUAL_FOLDERS, ...volumes, ...own])];
}

/** Of each temporary folder; as on the container engine. */
function temporaryBytes({ tier }: Pick<WorkloadSpec, 'tier'>): number {
  return Math.min(TMP_LIMIT_BYTES, Math.floor(tier.memoryLimitBytes / 4));
}

/** What this workload alone reaches besides: its declared dependencies, and the servers of its databases that have an address. */
function egressManifest(spec: WorkloadSpec, facts: WorkloadFacts): KubernetesObject | null {
  const dependencies = spec.dependencies.map(({ service }) => {
    const { environment } = spec;
    const matchLabels = { [LABELS.stack]: facts.stackId, [LABELS.service]: service, [LABELS.environment]: environment };
    return { to: [{ namespaceSelector: { matchLabels } }] };
  });
  const databases = spec.databases
    .filter(({ host }) => isIP(host) !== 0)
    .map(({ host, port }) => ({
      to: [{ ipBlock: { cidr: `${host}/${isIP(host) === 4 ? 32 : 128}` } }],
      ports: [{ protocol: 'TCP', port }],
    }));
  const egress = [...dependencies, ...databases];
  if (egress.length === 0) return null;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(spec, facts),
    spec: { podSelector: { matchLabels: { [LABELS.build]: spec.buildId } }, policyTypes: ['Egress'], egress },
  } as KubernetesObject;
}

/** The address of this one workload, also before it is ready: it is asked there whether it is. */
function serviceManifest(spec: WorkloadSpec, facts: WorkloadFacts): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(spec, facts),
    spec: {
      type: 'ClusterIP',
      publishNotReadyAddresses: true,
      selector: { [LABELS.stack]: facts.stackId, [LABELS.build]: spec.buildId },
      ports: [{ name: 'http', port: spec.port, targetPort: spec.port }],
    },
  } as KubernetesObject;
}

export interface RouteFacts {
  readonly stackId: string;
  /** The build whose workload serves. */
  readonly buildId: string;
  readonly workloadId: string;
  readonly port: number;
  readonly epoch: number;
  /** Null where the cluster's ingress controllers are left alone. */
  readonly ingress: { readonly className: string; readonly hosts: readonly string[] } | null;
}

/** What leads to whatever serves of a service: inside the cluster by its Service, from outside by its Ingress, if there is one. */
export function routeManifests(target: ServiceTarget, facts: RouteFacts): readonly KubernetesObject[] {
  const metadata = {
    name: NAMES.route,
    namespace: namespaceName(target),
    labels: targetLabels(facts.stackId, target),
    annotations: { [ANNOTATIONS.epoch]: String(facts.epoch), [ANNOTATIONS.workload]: facts.workloadId },
  };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      type: 'ClusterIP',
      selector: { [LABELS.stack]: facts.stackId, [LABELS.build]: facts.buildId },
      ports: [{ name: 'http', port: 80, targetPort: facts.port }],
    },
  };
  if (facts.ingress === null) return [service as KubernetesObject];
  const { className, hosts } = facts.ingress;
  const backend = { service: { name: NAMES.route, port: { name: 'http' } } };
  const rules = hosts.map((host) => ({ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }));
  const spec = { ingressClassName: className, rules };
  return [service, { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec }] as KubernetesObject[];
}
