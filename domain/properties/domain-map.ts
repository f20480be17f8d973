import { changedProperty, newProperty, type Property } from './property.ts';

/** One domain of the marketing domain map, as it was read. */
export interface MapEntry {
  /** As {@link Property.domain}. */
  readonly domain: string;
  readonly family: string | null;
  readonly role: string | null;
  readonly ignored: boolean;
  readonly reason: string | null;
}

export interface DomainMap {
  /** No domain twice. */
  readonly entries: readonly MapEntry[];
  /** Lines that are no domain of ours, and why. */
  readonly invalid: readonly { readonly text: string; readonly reason: string }[];
}

/** What a sync of the map did. */
export interface SyncSummary {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Properties that the map has no more: kept, and marked. */
  readonly left: number;
  readonly ignored: number;
  /** The first {@link MOST_INVALID} lines that were left out. */
  readonly invalid: DomainMap['invalid'];
}

export const MOST_INVALID = 100;

interface Change {
  readonly id: string;
  readonly at: Date;
}

/** The Property as a line of the map says; null where that changes nothing. What a person said is not taken back. */
export function applyEntry(property: Property | null, entry: MapEntry, { id, at }: Change): Property | null {
  const known = property ?? newProperty({ id, domain: entry.domain, at });
  const { family, role } = entry;
  const ignored = ignoredBy(known, entry, at);
  const isBack = known.map !== null && known.map.leftAt !== null;
  const map = known.map === null || isBack ? { seenAt: at, leftAt: null } : known.map;
  const facts = { family, role, ignored, map };
  if (property === null) return { ...known, ...facts, timeline: known.timeline };
  const isSame = known.family === family && known.role === role && known.ignored === ignored && known.map === map;
  if (isSame) return null;
  return changedProperty(known, facts, { at, event: eventOf(known, ignored, isBack), detail: entry.reason });
}

/** The Property of a domain that the map has no more; null where that is known, or no map ever had it. */
export function leaveMap(property: Property, at: Date): Property | null {
  const { map } = property;
  if (map === null || map.leftAt !== null) return null;
  return changedProperty(property, { map: { ...map, leftAt: at } }, { at, event: 'left-map' });
}

function ignoredBy({ ignored, unignoredAt }: Property, entry: MapEntry, at: Date): Property['ignored'] {
  if (ignored?.by === 'person') return ignored;
  if (!entry.ignored || unignoredAt !== null) return null;
  return ignored ?? { by: 'map', actor: null, reason: entry.reason, at };
}

function eventOf(known: Property, ignored: Property['ignored'], isBack: boolean): string | null {
  if (known.ignored === null && ignored !== null) return 'ignored';
  if (known.ignored !== null && ignored === null) return 'unignored';
  return isBack ? 'back-in-map' : null;
}
