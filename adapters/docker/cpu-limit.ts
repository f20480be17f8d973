import type { PodTier } from '../../domain/catalog/pod-tiers.ts';

/** CPU of a workload that is not ready yet, where its tier has less. Starting is the hardest work of most programs. */
const STARTUP_CPU_MILLIS = 1_000;

/** The CPU limit of a tier as the engine counts it, in 1e-9 CPUs; the engine refuses more CPUs than it has. */
export function tierNanoCpus(tier: PodTier, engineCpus: number): number {
  return Math.min(tier.cpuLimitMillis * 1e6, engineCpus * 1e9);
}

/**
 * The CPU limit a container starts with: its tier's, but at least one CPU (never more than the engine has), until
 * `applyCpuLimit` puts the tier's own limit on. Kubernetes users know this as "startup CPU boost".
 */
export function startupNanoCpus(tier: PodTier, engineCpus: number): number {
  return Math.min(Math.max(tier.cpuLimitMillis, STARTUP_CPU_MILLIS) * 1e6, engineCpus * 1e9);
}
