/** The kinds of objects that Fairlead handles, and where the API has them. */
export const RESOURCES = {
  Namespace: { apiVersion: 'v1', plural: 'namespaces' },
  Secret: { apiVersion: 'v1', plural: 'secrets' },
  Service: { apiVersion: 'v1', plural: 'services' },
  Pod: { apiVersion: 'v1', plural: 'pods' },
  Event: { apiVersion: 'v1', plural: 'events' },
  ResourceQuota: { apiVersion: 'v1', plural: 'resourcequotas' },
  LimitRange: { apiVersion: 'v1', plural: 'limitranges' },
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments' },
  ReplicaSet: { apiVersion: 'apps/v1', plural: 'replicasets' },
  NetworkPolicy: { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' },
  Ingress: { apiVersion: 'networking.k8s.io/v1', plural: 'ingresses' },
} as const;

export type ResourceKind = keyof typeof RESOURCES;

/** The path of a kind in a namespace, or in all of them when it is null; with a name, of one object. */
export function resourcePath(kind: ResourceKind, namespace: string | null, name?: string): string {
  const { apiVersion, plural } = RESOURCES[kind];
  const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const inside = namespace === null ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${base}${inside}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

export function isResourceKind(kind: string): kind is ResourceKind {
  return Object.hasOwn(RESOURCES, kind);
}
