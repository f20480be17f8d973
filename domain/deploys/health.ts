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

/** What a probe found: `ok` is a 2xx, `status` is null where nothing answered. */
interface Answer {
  readonly ok: boolean;
  readonly status: number | null;
}

/** Asked where an endpoint that nobody declared does not exist. */
export const FALLBACK_ENDPOINT = '/';

/** Nobody has to have the endpoint that is the framework's habit; an API need not have a page at `/`, and answers all the same. */
export function isHealthy({ healthEndpoint, healthRule }: HealthCheck, probe: Answer): boolean {
  if (probe.ok || healthRule === 'declared') return probe.ok;
  if (probe.status === 404) return healthEndpoint === FALLBACK_ENDPOINT;
  return probe.status !== null && probe.status < 500;
}

/** True when an endpoint that nobody declared is not there, and another one may be. */
export function mayFallBack({ healthEndpoint, healthRule }: HealthCheck, { status }: Pick<Answer, 'status'>): boolean {
  return healthRule === 'alive' && status === 404 && healthEndpoint !== FALLBACK_ENDPOINT;
}
