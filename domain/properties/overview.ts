import { eachItem } from '../each-item.ts';
import type { Page, PageRequest } from '../page.ts';
import { type Property, statusOf } from './property.ts';

/**
 * Counts of Properties. They add up: `total` is `verified + unverified + ignored`, and `unverified`, which has those in
 * `error`, is `automatable + manual`. `needsGeneratedSite + keptLegacy` is every legacy Property that is not ignored.
 */
export interface PropertyCounts {
  readonly total: number;
  readonly verified: number;
  readonly unverified: number;
  /** Of the unverified: those whose last verification failed. */
  readonly error: number;
  /** Of the unverified: those whose zone is in a DNS account of ours. */
  readonly automatable: number;
  /** Of the unverified: all others. */
  readonly manual: number;
  readonly ignored: number;
  readonly needsGeneratedSite: number;
  readonly placeholders: number;
  readonly keptLegacy: number;
}

export interface Overview extends PropertyCounts {
  /** By family; those without one are under the empty text. */
  readonly families: Readonly<Record<string, PropertyCounts>>;
}

type Counted = Pick<Property, 'family' | 'ignored' | 'verification' | 'zone' | 'source'>;
type Mutable = { -readonly [Key in keyof PropertyCounts]: number };

const NONE: PropertyCounts = {
  ...{ total: 0, verified: 0, unverified: 0, error: 0, automatable: 0, manual: 0, ignored: 0 },
  ...{ needsGeneratedSite: 0, placeholders: 0, keptLegacy: 0 },
};

/** Counts all in one pass: each Property once, so that the counts add up whatever is changed meanwhile. */
export async function countProperties(listAll: (page: PageRequest) => Promise<Page<Counted>>): Promise<Overview> {
  const all = { ...NONE };
  const families = new Map<string, Mutable>();
  for await (const property of eachItem(listAll)) {
    const family = property.family ?? '';
    const counts = families.get(family) ?? { ...NONE };
    families.set(family, counts);
    for (const one of keysOf(property)) {
      all[one] += 1;
      counts[one] += 1;
    }
  }
  const sorted = [...families].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...all, families: Object.fromEntries(sorted) };
}

/** The counts that a Property belongs to. */
function keysOf({ source, zone, ...property }: Counted): readonly (keyof PropertyCounts)[] {
  const status = statusOf(property);
  if (status === 'ignored') return ['total', 'ignored'];
  const way = zone.automatable === true ? 'automatable' : 'manual';
  const verification = { verified: ['verified'], error: ['unverified', 'error', way], unverified: ['unverified', way] };
  return [
    'total',
    ...(verification[status] as (keyof PropertyCounts)[]),
    ...(source?.kind === 'legacy' ? ([source.keep ? 'keptLegacy' : 'needsGeneratedSite'] as const) : []),
    ...(source?.placeholder === true ? (['placeholders'] as const) : []),
  ];
}
