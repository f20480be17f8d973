import { FairleadError } from '../errors.ts';
import type { NewId } from '../ids.ts';
import { changedMonitor, changeMonitor } from './change-monitor.ts';
import type { HttpCheck, MonitorCheck } from './check-kinds.ts';
import type { Monitor } from './monitor.ts';
import type { MonitorStore } from './ports.ts';
import { defaultInterval, isByHand, naturalKey, type Registration, replacedKey } from './registration.ts';

export interface RegisterDeps {
  readonly monitors: Pick<MonitorStore, 'findByKey' | 'find' | 'nextNumber' | 'insert' | 'replace'>;
  readonly newId: NewId;
  readonly now: () => Date;
  /** Whether the platform itself gives addresses there. */
  readonly isPlatformHost: (host: string) => boolean;
}

/**
 * Registers a service, as each deploy does (spec 3, "Monitor behaviour" 1). Idempotent by {@link naturalKey}: the same
 * registration gives the same monitor, a changed one changes it, and one without an org leaves the known org. One that names
 * another org than the known one is of another service, which has the name now: it inherits nothing.
 * @throws CONFLICT (retryable) when others change it all the time; UNAVAILABLE
 */
export async function registerMonitor(deps: RegisterDeps, registration: Registration): Promise<Monitor> {
  const { monitors, now } = deps;
  const key = naturalKey(registration, deps.isPlatformHost);
  const found = await monitors.findByKey(key);
  const isOwn = found !== null && (await keepsMonitor(deps, found, registration));
  const known = isOwn ? found : await insertNew(deps, key, registration);
  const next = await changeMonitor(monitors, known.id, (monitor) =>
    applyRegistration(monitor, registration, deps, now()),
  );
  if (next?.key === key) return next;
  throw new FairleadError('CONFLICT', 'The monitor was removed meanwhile; register it again.', { retryable: true });
}

/**
 * Whether a registration goes on with a monitor. One of another org is archived under a key of its own: its people keep its
 * history, and what they have set stays theirs.
 */
async function keepsMonitor({ monitors, now }: RegisterDeps, found: Monitor, { org }: Registration): Promise<boolean> {
  const isOthers = (monitor: Monitor): boolean => org !== null && monitor.org !== null && monitor.org !== org;
  if (!isOthers(found)) return true;
  const at = now();
  await changeMonitor(monitors, found.id, (monitor) => {
    if (monitor.key !== found.key || !isOthers(monitor)) return null;
    // Unmanaged: the reconcile, which knows services by their names, does not bring it back.
    const replaced = { key: replacedKey(monitor.id), unmanaged: true, archivedAt: monitor.archivedAt ?? at };
    return changedMonitor(monitor, replaced, at);
  });
  return false;
}

/** The monitor as a registration says; null where that changes nothing. One that was archived is back. */
export function applyRegistration(
  monitor: Monitor,
  registration: Registration,
  { isPlatformHost }: Pick<RegisterDeps, 'isPlatformHost'>,
  at: Date,
): Monitor | null {
  const { intervalSeconds, ...facts } = factsOf(registration, isPlatformHost);
  const next = {
    ...facts,
    ...intervalOf(monitor, intervalSeconds),
    org: registration.org ?? monitor.org,
    check: mergedCheck(monitor.check, facts.check),
  };
  return changedMonitor(monitor, { ...next, archivedAt: null }, at);
}

/** What a person set stays; what the deploy asks for is kept beside it, for when they reset it. */
function intervalOf(
  { deployedIntervalSeconds = null }: Monitor,
  asked: number,
): Pick<Monitor, 'intervalSeconds'> | Pick<Monitor, 'deployedIntervalSeconds'> {
  return deployedIntervalSeconds === null ? { intervalSeconds: asked } : { deployedIntervalSeconds: asked };
}

/**
 * The interval of a monitor as a person sets it.
 * @param asked null: as its deploys say; that changes nothing of one that nobody deploys
 */
export function intervalByHand(
  monitor: Pick<Monitor, 'id' | 'key' | 'intervalSeconds' | 'deployedIntervalSeconds'>,
  asked: number | null,
): Partial<Pick<Monitor, 'intervalSeconds' | 'deployedIntervalSeconds'>> {
  const { intervalSeconds, deployedIntervalSeconds = null } = monitor;
  if (asked === null) {
    return deployedIntervalSeconds === null
      ? {}
      : { intervalSeconds: deployedIntervalSeconds, deployedIntervalSeconds: null };
  }
  if (isByHand(monitor)) return { intervalSeconds: asked };
  return { intervalSeconds: asked, deployedIntervalSeconds: deployedIntervalSeconds ?? intervalSeconds };
}

/** Another process may have inserted it meanwhile: then that one is it. */
async function insertNew(deps: RegisterDeps, key: string, registration: Registration): Promise<Monitor> {
  const at = deps.now();
  const monitor: Monitor = {
    ...{ id: deps.newId('monitor'), number: await deps.monitors.nextNumber(), key, org: registration.org },
    ...factsOf(registration, deps.isPlatformHost),
    isPublic: registration.environment === 'prod' && !registration.unmanaged,
    ...{ paused: null, archivedAt: null, maintenance: [], createdAt: at, updatedAt: at, revision: 1 },
  };
  if (await deps.monitors.insert(monitor)) return monitor;
  return (await deps.monitors.findByKey(key)) ?? monitor;
}

function factsOf(registration: Registration, isPlatformHost: (host: string) => boolean) {
  const { serviceName, namespace, environment, unmanaged, interval } = registration;
  const url = addressOf(registration);
  const check: HttpCheck = {
    ...{ kind: 'http', url, method: 'GET' },
    expectStatus: registration.expectStatus,
    expectBodyContains: registration.expectBodyContains,
    ...{ json: null, latencyBudgetMs: null },
  };
  const intervalSeconds = interval ?? defaultInterval(environment, isPlatformHost(new URL(url).hostname));
  return { serviceName, namespace, environment, unmanaged, intervalSeconds, check };
}

/** What a registration cannot say stays: a person set it. */
function mergedCheck(known: MonitorCheck, next: HttpCheck): HttpCheck {
  if (known.kind !== 'http') return next;
  const { method, json, latencyBudgetMs, headers } = known;
  return { ...next, method, json, latencyBudgetMs, ...(headers === undefined ? {} : { headers }) };
}

/** The builder sends the whole address; people send the host, and the path beside it. */
function addressOf({ url, healthEndpoint }: Registration): string {
  const address = new URL(url);
  if (healthEndpoint === null || address.pathname !== '/' || address.search !== '') return address.href;
  return new URL(healthEndpoint, address).href;
}
