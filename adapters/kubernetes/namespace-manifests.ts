import type { KubernetesObject } from '@kubernetes/client-node';
import { callsLabel, LABELS, NAMES, namespaceName, type ServiceTarget, targetLabels } from './names.ts';
import { DISK_LIMIT, DISK_REQUEST } from './quantities.ts';

/** What a namespace has besides its name. */
export interface NamespaceFacts {
  readonly stackId: string;
  /** Networks that workloads reach in any case, such as `10.0.3.0/24` with a port or none. */
  readonly open: readonly { readonly network: string; readonly port: number | null }[];
  /** The namespaces whose pods bring in what is public, by a label on them; none where the router comes from outside. */
  readonly edge: Readonly<Record<string, string>> | null;
  /** The registry that images are pulled from; null where it asks for nothing. */
  readonly registry: { readonly host: string; readonly user: string; readonly token: string } | null;
}

/** The whole of a service in one environment (spec 2, "Limits": "Environment bound of the namespace"). */
export const NAMESPACE_BOUND = { cpu: '4', memory: '4Gi' } as const;

/** Addresses of no public machine: a workload reaches them only where something allows it. */
export const INNER_NETWORKS = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
] as const;

/** A service is one pod, and two while one takes the place of the other; what else is made by hand has room as well. */
const MOST_PODS = 10;

/**
 * What stands in the namespace of a service and environment before any of its workloads, in the order in which it is applied:
 * the namespace with the restricted pod security standard, its bounds, its isolation, and the login of the registry.
 */
export function namespaceManifests(target: ServiceTarget, facts: NamespaceFacts): readonly KubernetesObject[] {
  const namespace = namespaceName(target);
  const labels = targetLabels(facts.stackId, target);
  const metadata = (name: string) => ({ name, namespace, labels });
  return [
    namespaceManifest(target, facts.stackId),
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: metadata(NAMES.quota),
      // Of requests, and not of limits: the old workload of the largest tier serves until the new one is ready.
      spec: {
        hard: {
          'requests.cpu': NAMESPACE_BOUND.cpu,
          'requests.memory': NAMESPACE_BOUND.memory,
          pods: String(MOST_PODS),
          'services.nodeports': '0',
          'services.loadbalancers': '0',
        },
      },
    } as KubernetesObject,
    {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: metadata(NAMES.limits),
      // No pod has more than the bound; what names no limits has those of the smallest tier.
      spec: {
        limits: [
          { type: 'Pod', max: { ...NAMESPACE_BOUND } },
          {
            type: 'Container',
            default: { cpu: '250m', memory: '256Mi', 'ephemeral-storage': DISK_LIMIT },
            defaultRequest: { cpu: '25m', memory: '128Mi', 'ephemeral-storage': DISK_REQUEST },
          },
        ],
      },
    } as KubernetesObject,
    isolationManifest(target, facts),
    ...(facts.registry === null ? [] : [registryManifest(metadata(NAMES.registry), facts.registry)]),
  ];
}

/** Its labels have the cluster refuse pods that ask for more than a workload is given. */
export function namespaceManifest(target: ServiceTarget, stackId: string): KubernetesObject {
  const levels = ['enforce', 'warn', 'audit'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']);
  const labels = { ...targetLabels(stackId, target), ...Object.fromEntries(levels) };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceName(target), labels } };
}

/**
 * Nothing comes in and nothing goes out, but: requests from the edge and from workloads that declare the service as a
 * dependency; names of the cluster's DNS; what is public; the dependencies of the workload itself, in its environment.
 */
function isolationManifest(target: ServiceTarget, { stackId, open, edge }: NamespaceFacts): KubernetesObject {
  const ours = { [LABELS.stack]: stackId, [LABELS.environment]: target.environment };
  const callers = {
    namespaceSelector: { matchLabels: ours },
    podSelector: { matchLabels: { [callsLabel(target.service)]: 'true' } },
  };
  const ingress = [
    { from: [callers] },
    ...(edge === null ? [] : [{ from: [{ namespaceSelector: { matchLabels: edge } }] }]),
  ];
  const clusterDns = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
    podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
  };
  const egress = [
    { to: [clusterDns], ports: portOf(53) },
    { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: [...INNER_NETWORKS] } }] },
    ...open.map(({ network, port }) => ({
      to: [{ ipBlock: { cidr: network.includes('/') ? network : `${network}/32` } }],
      ...(port === null ? {} : { ports: portOf(port) }),
    })),
  ];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: NAMES.isolation, namespace: namespaceName(target), labels: targetLabels(stackId, target) },
    spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress, egress },
  } as KubernetesObject;
}

const portOf = (port: number) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port }));

function registryManifest(
  metadata: NonNullable<KubernetesObject['metadata']>,
  { host, user, token }: NonNullable<NamespaceFacts['registry']>,
): KubernetesObject {
  const auth = Buffer.from(`${user}:${token}`).toString('base64');
  const config = JSON.stringify({ auths: { [host]: { username: user, password: token, auth } } });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/dockerconfigjson',
    metadata,
    data: { '.dockerconfigjson': Buffer.from(config).toString('base64') },
  } as KubernetesObject;
}
