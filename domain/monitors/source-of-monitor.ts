import { targetKey } from '../ids.ts';
import type { Monitor } from './monitor.ts';
import type { RegisteredTargets, ServedDomains } from './ports.ts';
import { customDomainOf } from './registration.ts';

export interface MonitorSources {
  /** Null where the installation has no service registry. */
  readonly targets: RegisteredTargets | null;
  /** Null where it has no builder. */
  readonly domains: ServedDomains | null;
}

/**
 * Whether what a deploy had watched is there no more: the service, or the custom domain. False of what nobody can say.
 * @throws UNAVAILABLE (retryable)
 */
export async function isSourceGone(
  { targets, domains }: MonitorSources,
  monitor: Pick<Monitor, 'id' | 'key' | 'serviceName' | 'environment'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { key, serviceName, environment } = monitor;
  if (targets !== null && !(await targets.list(signal)).has(targetKey(serviceName, environment))) return true;
  if (domains === null || customDomainOf(monitor) === null) return false;
  return !(await domains.list(signal)).has(key);
}
