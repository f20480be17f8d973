/** What the site registry knows of one domain (spec 3, "Property"). */
export interface Property {
  /** `prp_…`. */
  readonly id: string;
  /** As `normaliseDomain` writes it: no other Property has it. */
  readonly domain: string;
  readonly family: string | null;
  readonly role: string | null;
  /** What serves its pages; null while nobody said. Written by the module `sources`. */
  readonly source: PropertySource | null;
  readonly verification: Verification;
  /** Set while the status is `error`. */
  readonly lastError: PropertyError | null;
  readonly zone: ZoneState;
  readonly ignored: Ignored | null;
  /** When a person said that it is not to be ignored: the map's word counts no more. */
  readonly unignoredAt: Date | null;
  /** When the domain map had it last, and since when it has it no more; null for one that no map had. */
  readonly map: { readonly seenAt: Date; readonly leftAt: Date | null } | null;
  /** Oldest first, the last {@link MOST_TIMELINE_ENTRIES}. */
  readonly timeline: readonly TimelineEntry[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** One more with each change: a store refuses a change of what was changed meanwhile. */
  readonly revision: number;
}

export const PROPERTY_STATUSES = ['unverified', 'verified', 'error', 'ignored'] as const;
export type PropertyStatus = (typeof PROPERTY_STATUSES)[number];

export const SOURCE_KINDS = ['legacy', 'none', 'platform-service', 'generated-site', 'other-generator'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export interface PropertySource {
  readonly kind: SourceKind;
  readonly setBy: 'auto' | 'person';
  readonly setAt: Date;
  /** Null where the platform set it. */
  readonly setByActor: string | null;
  /** Of a legacy source: it stays one. */
  readonly keep: boolean;
  readonly keepReason: string | null;
  readonly placeholder: boolean;
  readonly placeholderSetAt: Date | null;
  readonly placeholderSetByActor: string | null;
}

export const VERIFICATION_STATES = [
  'unverified',
  'token-requested',
  'txt-written',
  'verifying',
  'verified',
  'error',
] as const;
export type VerificationState = (typeof VERIFICATION_STATES)[number];

export interface Verification {
  readonly state: VerificationState;
  /** `manual`: the nameservers are elsewhere, and a person sets the record. Null before that is known. */
  readonly path: 'automatic' | 'manual' | null;
  /** What the TXT record at the apex holds; null before the search engine gave it. */
  readonly token: string | null;
  /** The job that began the run under way, or the last one. */
  readonly jobId: string | null;
  readonly tokenRequestedAt: Date | null;
  readonly txtWrittenAt: Date | null;
  readonly verifyingAt: Date | null;
  readonly verifiedAt: Date | null;
  readonly errorAt: Date | null;
  /** When the search engine was last asked whether it is still verified. */
  readonly checkedAt: Date | null;
  /** Whether the record was seen then, in the public DNS. */
  readonly recordSeen: boolean | null;
  /** Verified owners besides the platform's own account. */
  readonly owners: readonly string[];
}

export interface PropertyError {
  /** Who failed: `google`, `dns`, `cloudflare`, or the platform itself. */
  readonly source: string;
  readonly code: string;
  readonly message: string;
}

/** Whether its DNS zone is in an account of ours, as it was at the last look. */
export interface ZoneState {
  /** True: the platform writes its records. Null before the first look, which counts as false. */
  readonly automatable: boolean | null;
  readonly checkedAt: Date | null;
}

export interface Ignored {
  /** `map`: by its field there, which a later map may take back. A person's word stays. */
  readonly by: 'map' | 'person';
  readonly actor: string | null;
  readonly reason: string | null;
  readonly at: Date;
}

export interface TimelineEntry {
  readonly at: Date;
  /** A state of the verification, or `added`, `ignored`, `unignored`, `left-map`, `back-in-map`, `owner-added`, `checked`. */
  readonly event: string;
  readonly detail: string | null;
}

export const MOST_TIMELINE_ENTRIES = 100;

const NOT_VERIFIED: Verification = {
  state: 'unverified',
  path: null,
  token: null,
  jobId: null,
  tokenRequestedAt: null,
  txtWrittenAt: null,
  verifyingAt: null,
  verifiedAt: null,
  errorAt: null,
  checkedAt: null,
  recordSeen: null,
  owners: [],
};

/** A Property that nothing is known of but its domain. */
export function newProperty(facts: Pick<Property, 'id' | 'domain'> & { readonly at: Date }): Property {
  const { id, domain, at } = facts;
  return {
    ...{ id, domain, family: null, role: null, source: null, verification: NOT_VERIFIED, lastError: null },
    zone: { automatable: null, checkedAt: null },
    ...{ ignored: null, unignoredAt: null, map: null },
    timeline: [{ at, event: 'added', detail: null }],
    ...{ createdAt: at, updatedAt: at, revision: 1 },
  };
}

/** What lists filter by. Whoever is ignored is that first of all; a run under way is not verified yet. */
export function statusOf({ ignored, verification }: Pick<Property, 'ignored' | 'verification'>): PropertyStatus {
  if (ignored !== null) return 'ignored';
  const { state } = verification;
  return state === 'verified' || state === 'error' ? state : 'unverified';
}

/** The next version of a Property, with what happened in its timeline. */
export function changedProperty(
  property: Property,
  changes: Partial<Omit<Property, 'id' | 'domain' | 'timeline' | 'createdAt' | 'updatedAt' | 'revision'>>,
  {
    at,
    event = null,
    detail = null,
  }: { readonly at: Date; readonly event?: string | null; readonly detail?: string | null },
): Property {
  const timeline = event === null ? property.timeline : [...property.timeline, { at, event, detail }];
  return {
    ...property,
    ...changes,
    timeline: timeline.slice(-MOST_TIMELINE_ENTRIES),
    updatedAt: at,
    revision: property.revision + 1,
  };
}
