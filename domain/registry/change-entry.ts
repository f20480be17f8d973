import { FairleadError } from '../errors.ts';
import { MOST_BINDINGS } from '../registered-limits.ts';
import type {
  AnnouncedModules,
  Binding,
  Changelog,
  EnvironmentEntry,
  Registration,
  RegistryEnvironment,
  ServiceEntry,
  ServiceMetadata,
} from './service-entry.ts';

/**
 * The changes of an entry, as functions from the entry that is stored to the next one. One that changes nothing returns
 * the entry as it was, so that a repeated request does not count its revision up.
 */
export type EntryChange = (entry: ServiceEntry, now: Date) => ServiceEntry;

/** A service as the builder declares it. */
export type ServiceDeclaration = Pick<ServiceEntry, 'id' | 'name' | 'org' | 'serviceSince'>;

/** Where a write belongs, and in which epoch it was made. */
export interface Place {
  readonly environment: RegistryEnvironment;
  readonly epoch: number;
}

export function newEntry({ id, name, org, serviceSince }: ServiceDeclaration, now: Date): ServiceEntry {
  return {
    ...{ id, name, org, serviceSince },
    revision: 1,
    environments: {},
    changelog: null,
    updatedAt: now,
    removedAt: null,
  };
}

/** The owner of a service may change; its name does not. */
export function declare({ name, org, serviceSince }: ServiceDeclaration): EntryChange {
  return (entry) => ({ ...entry, name, org, serviceSince });
}

export function createNamespace(environment: RegistryEnvironment): EntryChange {
  return (entry, now) => inEnvironment(entry, environment, environmentOf(entry, environment, now));
}

/** @throws CONFLICT for an epoch that is over */
export function register(place: Place, given: Omit<Registration, 'registeredAt'>): EntryChange {
  return inEpoch(place, (before, now) => {
    const isSame = before.registration !== null && isSameRegistration(before.registration, given);
    const registration = isSame ? before.registration : { ...given, registeredAt: now };
    return { ...before, registration, announced: null };
  });
}

/** Without an epoch: nothing serves by it, and the deploy has none yet. What one announced stands until the next does. */
export function announceModules(environment: RegistryEnvironment, announced: AnnouncedModules): EntryChange {
  return (entry, now) => inEnvironment(entry, environment, { ...environmentOf(entry, environment, now), announced });
}

/** @throws CONFLICT for an epoch that is over */
export function putMetadata(place: Place, metadata: ServiceMetadata): EntryChange {
  return inEpoch(place, (before) => ({ ...before, metadata }));
}

function isSameRegistration({ registeredAt: _, ...before }: Registration, given: object): boolean {
  return isSameValue(before, given);
}

/** @throws CONFLICT for an epoch that is over; VALIDATION_FAILED past {@link MOST_BINDINGS} */
export function putBinding(place: Place, binding: Omit<Binding, 'namespace'>): EntryChange {
  return inEpoch(place, (before) => {
    const others = before.bindings.filter((other) => !isNamed(other, binding));
    if (others.length >= MOST_BINDINGS) {
      const message = `A service has at most ${MOST_BINDINGS} queues and schedules in an environment`;
      throw new FairleadError('VALIDATION_FAILED', message);
    }
    const bindings = [...others, { ...binding, namespace: before.namespace }].sort(byKindAndName);
    return { ...before, bindings };
  });
}

/** No error when there is none. @throws CONFLICT for an epoch that is over */
export function removeBinding(place: Place, name: Pick<Binding, 'kind' | 'name'>): EntryChange {
  return inEpoch(place, (before) => ({
    ...before,
    bindings: before.bindings.filter((binding) => !isNamed(binding, name)),
  }));
}

/**
 * What is said of a walkthrough stays where the new changelog says nothing of one.
 * @throws CONFLICT when the stored one is of a later deploy
 */
export function putChangelog(given: Omit<Changelog, 'walkthroughUpdatedAt'>): EntryChange {
  return (entry, now) => {
    if (entry.changelog !== null && given.deployedAt < entry.changelog.deployedAt) {
      throw new FairleadError('CONFLICT', `The changelog of ${entry.name} is of a later deploy than this one`);
    }
    const { walkthroughUrl: before = null, walkthroughUpdatedAt = null } = entry.changelog ?? {};
    const { walkthroughUrl } = given;
    const walkthrough =
      walkthroughUrl === null || walkthroughUrl === before
        ? { walkthroughUrl: before, walkthroughUpdatedAt }
        : { walkthroughUrl, walkthroughUpdatedAt: now };
    return { ...entry, changelog: { ...given, ...walkthrough } };
  };
}

/** Notes and time stay as they are. @throws NOT_FOUND without a changelog */
export function attachWalkthrough(walkthroughUrl: string): EntryChange {
  return (entry, now) => {
    if (entry.changelog === null) throw noChangelog(entry.name);
    return { ...entry, changelog: { ...entry.changelog, walkthroughUrl, walkthroughUpdatedAt: now } };
  };
}

export function noChangelog(service: string): FairleadError {
  return new FairleadError(
    'NOT_FOUND',
    `${service} has no changelog; it gets one when a deploy to prod finds a CHANGELOG.md at the root of its repository`,
  );
}

/** What stands for a service that was removed before the registry heard of it, so that a late write of it is refused. */
export function removedEntry(id: string, now: Date): ServiceEntry {
  return { ...newEntry({ id, name: '', org: '', serviceSince: now }, now), removedAt: now };
}

/** Takes everything away but what tells that it was there. */
export const removeEntry: EntryChange = (entry, now) => ({
  ...entry,
  environments: {},
  changelog: null,
  removedAt: entry.removedAt ?? now,
});

/** The next entry with its revision counted; the same entry when nothing is different. */
export function applyChange(entry: ServiceEntry, change: EntryChange, now: Date): ServiceEntry {
  const next = change(entry, now);
  if (isSameValue(next, entry)) return entry;
  return { ...next, revision: entry.revision + 1, updatedAt: now };
}

function inEpoch({ environment, epoch }: Place, change: (before: EnvironmentEntry, now: Date) => EnvironmentEntry) {
  return (entry: ServiceEntry, now: Date): ServiceEntry => {
    const before = environmentOf(entry, environment, now);
    if (epoch < before.epoch) {
      const message = `A newer deploy of ${entry.name} wrote to ${environment}: this one is over`;
      throw new FairleadError('CONFLICT', message);
    }
    return inEnvironment(entry, environment, { ...change(before, now), epoch });
  };
}

function environmentOf(entry: ServiceEntry, environment: RegistryEnvironment, now: Date): EnvironmentEntry {
  const namespace = `${entry.name}-${environment}`;
  const none = { registration: null, announced: null, metadata: null, bindings: [] };
  return entry.environments[environment] ?? { namespace, since: now, epoch: 0, ...none };
}

function inEnvironment(entry: ServiceEntry, environment: RegistryEnvironment, next: EnvironmentEntry): ServiceEntry {
  return { ...entry, environments: { ...entry.environments, [environment]: next } };
}

const isNamed = (binding: Pick<Binding, 'kind' | 'name'>, { kind, name }: Pick<Binding, 'kind' | 'name'>): boolean =>
  binding.kind === kind && binding.name === name;

function byKindAndName(a: Binding, b: Binding): number {
  const [left, right] = [`${a.kind} ${a.name}`, `${b.kind} ${b.name}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** For plain data; the order of keys does not count. */
function isSameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a, withSortedKeys) === JSON.stringify(b, withSortedKeys);
}

function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
