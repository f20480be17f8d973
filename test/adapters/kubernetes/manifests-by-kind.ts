import type {
  KubernetesObject,
  V1Deployment,
  V1Ingress,
  V1LimitRange,
  V1Namespace,
  V1NetworkPolicy,
  V1ResourceQuota,
  V1Secret,
  V1Service,
} from '@kubernetes/client-node';

/** Manifests by their kinds, of which each list has one at most. */
export interface ManifestsByKind {
  readonly Namespace?: V1Namespace;
  readonly ResourceQuota?: V1ResourceQuota;
  readonly LimitRange?: V1LimitRange;
  readonly NetworkPolicy?: V1NetworkPolicy;
  readonly Secret?: V1Secret;
  readonly Deployment?: V1Deployment;
  readonly Service?: V1Service;
  readonly Ingress?: V1Ingress;
}

export function byKind(manifests: readonly KubernetesObject[]): ManifestsByKind {
  return Object.fromEntries(manifests.map((manifest) => [manifest.kind, manifest])) as ManifestsByKind;
}
