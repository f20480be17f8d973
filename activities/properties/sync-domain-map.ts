import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import { changeProperty } from '../../domain/properties/change-property.ts';
import {
  applyEntry,
  leaveMap,
  type MapEntry,
  MOST_INVALID,
  type SyncSummary,
} from '../../domain/properties/domain-map.ts';
import { changedProperty, type Property } from '../../domain/properties/property.ts';
import type { PropertiesActivityDeps } from './deps.ts';

type Deps = Pick<PropertiesActivityDeps, 'properties' | 'map' | 'newId' | 'now'>;

/**
 * Makes the Properties what the domain map says. Idempotent: what is as the map says is not written. A map that cannot be
 * read changes nothing.
 * @throws DOMAIN_MAP_UNREADABLE; UNAVAILABLE (retryable)
 */
export async function syncDomainMap({ map: source, ...deps }: Deps, signal: AbortSignal): Promise<SyncSummary> {
  if (source === null) {
    throw new FairleadError('DOMAIN_MAP_UNREADABLE', 'No domain map is known: set DOMAIN_MAP on the worker');
  }
  const map = await source.read(signal);
  const tally = { added: 0, changed: 0, unchanged: 0, left: 0, ignored: 0 };
  for (const entry of map.entries) {
    signal.throwIfAborted();
    tally[await applyOne(deps, entry)] += 1;
    if (entry.ignored) tally.ignored += 1;
  }
  const named = new Set(map.entries.map(({ domain }) => domain));
  for await (const { domain } of eachItem(deps.properties.listAll, signal)) {
    if (named.has(domain)) continue;
    let hasLeft = false;
    await changeProperty(deps.properties, domain, (property) => {
      const next = leaveMap(property, deps.now());
      hasLeft = next !== null;
      return next;
    });
    if (hasLeft) tally.left += 1;
  }
  return { ...tally, invalid: map.invalid.slice(0, MOST_INVALID) };
}

async function applyOne(
  { properties, newId, now }: Omit<Deps, 'map'>,
  entry: MapEntry,
): Promise<'added' | 'changed' | 'unchanged'> {
  const change = { id: newId('property'), at: now() };
  const { domain } = entry;
  if ((await properties.find(domain)) === null) {
    const added = applyEntry(null, entry, change);
    if (added !== null && (await properties.insert(added))) return 'added';
  }
  let isChanged = false;
  await changeProperty(properties, domain, (property) => {
    const next = applyEntry(property, entry, change);
    isChanged = next !== null;
    return next;
  });
  return isChanged ? 'changed' : 'unchanged';
}

/** What a look at the zones found. */
export interface ZonesFound {
  readonly automatable: number;
  readonly manual: number;
}

/**
 * Looks which domains have their zone in a DNS account of ours. Idempotent; what is as it was is not written, but for a
 * first look. All zones are read before anything is changed.
 * @returns null without an account
 * @throws DNS_PROVIDER_REFUSED; UNAVAILABLE (retryable)
 */
export async function refreshZones(
  { properties, zones, now }: Pick<PropertiesActivityDeps, 'properties' | 'zones' | 'now'>,
  signal: AbortSignal,
): Promise<ZonesFound | null> {
  if (zones === null) return null;
  const active = await zones.listActive(signal);
  const found = { automatable: 0, manual: 0 };
  for await (const { domain } of eachItem(properties.listAll, signal)) {
    const automatable = active.has(domain);
    found[automatable ? 'automatable' : 'manual'] += 1;
    await changeProperty(properties, domain, (property) => withZone(property, automatable, now()));
  }
  return found;
}

/** The Property with what is known of its zone; null where that is no news. */
export function withZone(property: Property, automatable: boolean, at: Date): Property | null {
  if (property.zone.automatable === automatable) return null;
  return changedProperty(property, { zone: { automatable, checkedAt: at } }, { at });
}
