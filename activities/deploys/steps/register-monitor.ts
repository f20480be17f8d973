import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import {
  atCustomDomain,
  CHECK_INTERVAL_SECONDS,
  expectedStatus,
  type MonitorRegistration,
  type UptimeMonitor,
} from '../../../domain/deploys/uptime-monitor.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireRelease } from '../registered-service.ts';
import { findService } from '../service-lookup.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'monitor' | 'services' | 'releases' | 'edge' | 'customDomains'>;

/**
 * Registers the public health address of the release with the uptime monitor (spec 3, "Monitor behaviour" 1), and that at
 * each custom domain; keeps the id of the first on the service. Idempotent: the monitor keeps one record of an address, the
 * service one id.
 * @throws UNAVAILABLE of the system `monitor`, and what the monitor refuses
 */
export async function registerMonitor(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, signal, onLine } = context;
  const monitor = requireMonitor(deps);
  const [service, release] = await Promise.all([findService(deps, build), requireRelease(deps, context)]);
  const { environment } = build;
  const expectStatus = await statusToExpect(deps, context, release);
  const registration: MonitorRegistration = {
    serviceName: service.name,
    org: service.org,
    namespace: `${service.name}-${environment}`,
    environment,
    url: deps.edge.url(service.name, environment) + release.healthEndpoint,
    healthEndpoint: release.healthEndpoint,
    interval: CHECK_INTERVAL_SECONDS[environment],
    ...(expectStatus === null ? {} : { expectStatus }),
  };
  const { monitorId } = await monitor.register(registration, signal);
  if (monitorId !== null) await deps.services.setMonitor(service.id, environment, monitorId);
  const up = expectStatus === null ? 'any 2xx' : String(expectStatus);
  onLine(`${registration.url} is checked every ${registration.interval} s; ${up} counts as up`);
  const names = await deps.customDomains.verified({ serviceId: service.id, environment });
  for (const name of names) await monitor.register(atCustomDomain(registration, name, names), signal);
  if (names.length > 0) onLine(`${names.join(', ')}: checked as well`);
  return {};
}

/** Asks once, where nobody named a health endpoint: what it answers now is what the monitor sees. */
async function statusToExpect(
  { edge }: Pick<Deps, 'edge'>,
  { build, signal }: StepContext,
  release: Release,
): Promise<number | null> {
  if (release.healthRule === 'declared') return null;
  const probe = await edge.probe(build.service, build.environment, release.healthEndpoint, signal);
  return expectedStatus(release, probe);
}

/** @throws UNAVAILABLE on a worker without one, where another worker planned the build */
function requireMonitor({ monitor }: Pick<Deps, 'monitor'>): UptimeMonitor {
  if (monitor !== null) return monitor;
  const message = 'No uptime monitor is configured on the worker: set MONITOR_URL and INTERNAL_SERVICE_KEY.';
  throw new FairleadError('UNAVAILABLE', message, { system: 'monitor' });
}
