import { type AddressRecord, bareName, isWithin } from './mode.ts';

/** An address record that stands at a name in the zone. */
export interface ZoneRecord extends AddressRecord {
  /** True for one that this installation wrote. */
  readonly isOwn: boolean;
}

export interface RecordWish {
  readonly domain: string;
  /** Of the zone. */
  readonly apex: string;
  readonly wanted: AddressRecord;
  /** All A, AAAA and CNAME records at the name. Other types neither block nor are touched. */
  readonly existing: readonly ZoneRecord[];
  /** DNS_REPLACEABLE_TARGETS. */
  readonly replaceableTargets: readonly string[];
  readonly platformDomain: string;
  /** `overwriteExistingRecord`. */
  readonly overwrite: boolean;
}

export type RecordPlan =
  /** It leads there already, whoever wrote it. */
  | { readonly kind: 'keep' }
  | { readonly kind: 'create' }
  /** All that stands there goes. `replaced` is what people are told of: records of somebody else. */
  | { readonly kind: 'replace'; readonly replaced: readonly AddressRecord[] }
  | { readonly kind: 'refuse'; readonly foreign: readonly AddressRecord[] };

type Standing = 'same' | 'own' | 'replaceable' | 'foreign';

/** What a record that stands at the name is to the wish. The first row that applies counts (spec 2, "Custom domains", 1). */
const STANDINGS: readonly {
  readonly is: Standing;
  readonly when: (record: ZoneRecord, wish: RecordWish) => boolean;
}[] = [
  { is: 'same', when: (record, { wanted }) => isSame(record, wanted) },
  { is: 'own', when: ({ isOwn }) => isOwn },
  {
    is: 'replaceable',
    when: ({ type, content }, { replaceableTargets }) =>
      type === 'CNAME' && replaceableTargets.some((target) => bareName(target) === bareName(content)),
  },
  {
    // A name that led to the zone's apex; inside the platform's domain that is the platform itself.
    is: 'replaceable',
    when: ({ type, content }, { domain, apex, platformDomain }) =>
      type === 'CNAME' &&
      domain !== apex &&
      bareName(content) === apex &&
      !isWithin(domain, platformDomain) &&
      !isWithin(platformDomain, apex),
  },
  { is: 'foreign', when: () => true },
];

/** What to do about the records at a name. One foreign record among replaceable ones refuses all. */
export function planRecord(wish: RecordWish): RecordPlan {
  const stands = wish.existing.map((record) => ({ record, is: standing(record, wish) }));
  const foreign = stands.filter(({ is }) => is === 'foreign').map(({ record }) => plain(record));
  if (foreign.length > 0 && !wish.overwrite) return { kind: 'refuse', foreign };
  if (stands.length === 0) return { kind: 'create' };
  if (stands.length === 1 && stands[0]?.is === 'same') return { kind: 'keep' };
  const replaced = stands
    .filter(({ is }) => is === 'foreign' || is === 'replaceable')
    .map(({ record }) => plain(record));
  return { kind: 'replace', replaced };
}

function standing(record: ZoneRecord, wish: RecordWish): Standing {
  return STANDINGS.find(({ when }) => when(record, wish))?.is ?? 'foreign';
}

/** Whether two records lead to the same place. */
export function isSame(one: AddressRecord, other: AddressRecord): boolean {
  return one.type === other.type && bareName(one.content) === bareName(other.content);
}

const plain = ({ type, content }: AddressRecord): AddressRecord => ({ type, content });
