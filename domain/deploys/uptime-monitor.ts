import type { Environment } from '../environment.ts';
import { type HealthCheck, isHealthy } from './health.ts';

/** What the uptime monitor is told of a service in one environment (spec 3, "Monitor record"). */
export interface MonitorRegistration {
  readonly serviceName: string;
  /** Slug of the org that owns the service. */
  readonly org: string;
  /** `{service}-{environment}` */
  readonly namespace: string;
  readonly environment: Environment;
  /** The address that is checked, with its path (spec 3, "Monitor behaviour" 1). */
  readonly url: string;
  /** The path of it. */
  readonly healthEndpoint: string;
  /** Seconds between two checks. */
  readonly interval: number;
  /** The status that counts as up, in the place of any 2xx. */
  readonly expectStatus?: number;
}

/**
 * The uptime monitor as the builder uses it.
 *
 * @throws UNAVAILABLE (retryable, of the system `monitor`) when it is away; its own refusal as an error of that system
 */
export interface UptimeMonitor {
  /** Idempotent: the monitor keeps one record for each service, environment and address. @returns its id, if it says one */
  register(registration: MonitorRegistration, signal?: AbortSignal): Promise<{ readonly monitorId: string | null }>;
  /** Ends the monitor of an address that is served no more; none is no error. Idempotent. */
  unregister(
    known: Pick<MonitorRegistration, 'serviceName' | 'environment' | 'url'>,
    signal?: AbortSignal,
  ): Promise<void>;
}

/** Seconds between two checks (spec 3, "Limits"). */
export const CHECK_INTERVAL_SECONDS: Readonly<Record<Environment, number>> = { prod: 30, sandbox: 60, uat: 60 };

/** Seconds between two checks of a custom domain (spec 3, "Limits"). */
export const DOMAIN_INTERVAL_SECONDS = 60;

/** What the edge answers at `www.<domain>` while the domain itself is served as well. */
const REDIRECTED = 308;

/** The registration of the same service at a custom domain. @param names all that lead to the service */
export function atCustomDomain(
  registration: MonitorRegistration,
  name: string,
  names: readonly string[],
): MonitorRegistration {
  const isRedirected = name.startsWith('www.') && names.includes(name.slice('www.'.length));
  return {
    ...registration,
    url: `https://${name}${registration.healthEndpoint}`,
    interval: DOMAIN_INTERVAL_SECONDS,
    ...(isRedirected ? { expectStatus: REDIRECTED } : {}),
  };
}

/**
 * The status that a monitor has to expect where it is no 2xx. Nobody named a health endpoint then, and the deploy was
 * content with any answer below 500. Redirects are left out: a monitor may follow them.
 */
export function expectedStatus(
  check: HealthCheck,
  probe: { readonly ok: boolean; readonly status: number | null },
): number | null {
  const { status } = probe;
  if (probe.ok || status === null || status < 400 || !isHealthy(check, probe)) return null;
  return status;
}
