import type { EffectContext } from '../../../domain/deploys/effect-context.ts';
import type { WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';

/** How workloads reach services of the platform that listen on the loopback of the machine. */
export interface PlatformAccess {
  /** Unix socket of the platform proxy: see adapters/edge-router/platform-proxy.ts. */
  readonly socket: string;
  /** Ports that those services have in the addresses workloads are given. */
  readonly ports: readonly number[];
  /** Makes sure of an image with node. @returns its name */
  readonly image: (context: EffectContext) => Promise<string>;
}

/** The ports a workload is relayed at: none for one without credentials, and never its own. */
export function relayedPorts(
  access: PlatformAccess | null,
  spec: Pick<WorkloadSpec, 'env' | 'port'>,
): readonly number[] {
  if (access === null || spec.env.IDP_CLIENT_ID === undefined) return [];
  return access.ports.filter((port) => port !== spec.port);
}
