import type { ProbeResult } from './ports.ts';

/**
 * What a health answer must be. `declared`: the author named the endpoint, and it answers 2xx. `alive`: nobody named
 * one, so any answer below 500 shows that the service takes requests.
 */
export const HEALTH_RULES = ['declared', 'alive'] as const;

export type HealthRule = (typeof HEALTH_RULES)[number];

export interface HealthCheck {
  /** Begins with `/`. */
  readonly healthEndpoint: string;
  readonly healthRule: HealthRule;
}

/** Asked where an endpoint that nobody declared does not exist. */
export const FALLBACK_ENDPOINT = '/';

/** Nobody has to have the endpoint that is the framework's habit; an API need not have a page at `/`, and answers all the same. */
export function isHealthy(
  { healthEndpoint, healthRule }: HealthCheck,
  probe: Pick<ProbeResult, 'ok' | 'status'>,
): boolean {
  if (probe.ok || healthRule === 'declared') return probe.ok;
  if (probe.status === 404) return healthEndpoint === FALLBACK_ENDPOINT;
  return probe.status !== null && probe.status < 500;
}

/** True when an endpoint that nobody declared is not there, and another one may be. */
export function mayFallBack(
  { healthEndpoint, healthRule }: HealthCheck,
  { status }: Pick<ProbeResult, 'status'>,
): boolean {
  return healthRule === 'alive' && status === 404 && healthEndpoint !== FALLBACK_ENDPOINT;
}
