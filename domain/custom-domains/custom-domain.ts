import type { Environment } from '../environment.ts';
import type { AddressRecord, DomainMode } from './mode.ts';
import type { OwnershipProof } from './ownership-proof.ts';
import { shortened } from './shortened.ts';
import type { Untold } from './untold.ts';

/** Every state a name can be in; which of them a mode knows is in `state-table.ts`. */
export const DOMAIN_STATES = [
  'pending-proof',
  'pending-delegation',
  'pending-dns',
  'pending-certificate',
  'pending-cname',
  'pending-validation',
  'active',
  'failed',
] as const;

export type DomainState = (typeof DOMAIN_STATES)[number];

/** A zone at the DNS provider, as replies show it (spec 2, "Custom domains", 2). */
export interface ZoneView {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'pending';
  /** Whether the add made it. */
  readonly created: boolean;
  readonly nameServers: readonly string[];
  readonly originalNameServers: readonly string[];
}

/** What was seen of the certificate of a name. */
export interface SeenCertificate {
  /** When what was issued ends; null before. */
  readonly notAfter: Date | null;
  /** When it was last seen served at the public address of the name; null for never. */
  readonly servedAt: Date | null;
}

/** Whose a name is, and how far it is. */
export interface DomainHolder {
  /** `dom_…`; another one each time that the name is added. */
  readonly id: string;
  readonly serviceId: string;
  readonly service: string;
  /** Slug of the service's owner when the name was added. */
  readonly org: string;
  /** Slug of the org for which it was added: the owner, or an org that shares the service. */
  readonly claimant: string;
  /** Of an org that shares the service: revision of the list of such orgs by which it was let in. Null otherwise. */
  readonly sharingRevision: number | null;
  /** Whether an administrator of the platform added it, who gives names of all zones to services of the platform's org. */
  readonly byAdministrator: boolean;
  readonly environment: Environment;
  readonly mode: DomainMode;
  /** What the record of the name has to lead to. */
  readonly expectedTarget: string;
  readonly state: DomainState;
  /** Why it is not further, with what each resolver said; null for one that is active. */
  readonly reason: string | null;
  /** As the contract has it: also true of a zone that was made and waits for its delegation. */
  readonly dnsVerified: boolean;
  /** The proof that is asked for; null where DNS itself proves enough. */
  readonly proof: OwnershipProof | null;
  /** When the proof was seen; then the record may go. Null where none was asked for, or it was not seen yet. */
  readonly provenAt: Date | null;
  /** Since when it is known to be the service's: from then on it is routed. Null before. */
  readonly ownedSince: Date | null;
  /**
   * When it was seen here last, of one that leads elsewhere since: whose it is has to be known anew. Null of one that does not, the
   * beginning of time where nobody knows.
   */
  readonly strayedAt: Date | null;
  /**
   * Whether its DNS was seen not to lead here since the add: that it does so later is an answer to the add. A record that was
   * there before may be anybody's, or was left behind.
   */
  readonly ledElsewhere: boolean;
  /** When all that its mode asks for was seen first. */
  readonly verifiedAt: Date | null;
  readonly zone: ZoneView | null;
  /** The record that the platform wrote; null where the customer sets it. */
  readonly writtenRecord: AddressRecord | null;
  /** The record of somebody else that it took the place of. */
  readonly replacedRecord: AddressRecord | null;
  readonly overwrite: boolean;
  /** Whether its counterpart, with or without `www.`, is led to it. */
  readonly canonical: boolean;
  /** Whether browsers are told to come over TLS alone (RFC 6797). */
  readonly hsts: boolean;
  /** When the name was last led to the service: route, OAuth callback, certificate. Null before it is known to be theirs. */
  readonly attachedAt: Date | null;
  /** Since when it is pending, and how many looks were made since; null of one that is active. */
  readonly pendingSince: Date | null;
  readonly looks: number;
  /** Looks at a name by which its record was gone, and when it was seen last before them; null while it is there. */
  readonly lost: { readonly since: Date; readonly looks: number; readonly seenAt: Date | null } | null;
  /** What became of it and was not told yet, the oldest first. */
  readonly untold: readonly Untold[];
  /** When it was told last that it was lost. */
  readonly lostToldAt: Date | null;
  readonly addedBy: string;
  readonly addedAt: Date;
  /** Where it led at that look, such as `CNAME in.example.net (proxied)`; null where nobody answered yet. */
  readonly resolvedTarget: string | null;
  /** Of the newest look that somebody answered. */
  readonly observedAt: Date | null;
  /** By the newest look that asked for it; null of one that none was asked for, as in the other modes. */
  readonly certificate: SeenCertificate | null;
  /** Since when it is being taken away; then nothing but its removal goes on. */
  readonly removingSince: Date | null;
}

/** Fields of a holder that a claim decides; the rest begins as nothing. */
export type NewHolder = Pick<
  DomainHolder,
  | 'id'
  | 'serviceId'
  | 'service'
  | 'org'
  | 'claimant'
  | 'sharingRevision'
  | 'byAdministrator'
  | 'environment'
  | 'mode'
  | 'expectedTarget'
  | 'state'
  | 'proof'
  | 'ledElsewhere'
  | 'overwrite'
  | 'canonical'
  | 'hsts'
  | 'addedBy'
  | 'addedAt'
>;

export function newHolder(fields: NewHolder): DomainHolder {
  return {
    ...fields,
    ...{ reason: null, dnsVerified: false, provenAt: null, ownedSince: null, verifiedAt: null, zone: null },
    ...{ untold: [], lostToldAt: null, strayedAt: null, writtenRecord: null, replacedRecord: null, attachedAt: null },
    ...{
      pendingSince: fields.addedAt,
      looks: 0,
      lost: null,
      resolvedTarget: null,
      observedAt: null,
      certificate: null,
      removingSince: null,
    },
  };
}

/** Who had a name last that was theirs, or proven to be, and until when. No other claim leaves such a mark. */
export interface FormerHolder {
  readonly serviceId: string;
  /** For which it was added: the service's owner, or an org that shared the service. */
  readonly org: string;
  readonly until: Date;
}

/** An org that asked for a name while another one said that it is theirs, and nobody was known to own it. */
export interface Contender {
  readonly org: string;
  readonly at: Date;
}

/** A zone that an add had made at the DNS provider. */
export interface ZoneMade extends Contender {
  /**
   * Whether the domain was seen delegated to other name servers then, or since: if it leads to the zone later, its owner has
   * done that. False of one that nobody knows of, as it may have been left behind.
   */
  readonly wasElsewhere: boolean;
  /** Whether its removal was begun since, as no name used it: one that is there later is somebody else's. */
  readonly isGone: boolean;
  /** Whether that removal is not known to be finished. */
  readonly isRemoving: boolean;
}

/** Whether it is known whose the name is, so that it is asked of nobody. */
export function isSettled({
  provenAt,
  ownedSince,
  strayedAt,
}: Pick<DomainHolder, 'provenAt' | 'ownedSince' | 'strayedAt'>): boolean {
  return provenAt !== null || (ownedSince !== null && strayedAt === null);
}

/** One name of the installation: its one holder, if any, and the one before. Known by the name. */
export interface CustomDomain {
  readonly domain: string;
  readonly apex: string;
  readonly holder: DomainHolder | null;
  readonly former: FormerHolder | null;
  /** The newest of each org. */
  readonly contenders: readonly Contender[];
  /** The org for which an add of this name made a zone last; it stays with the zone when the name is given back. */
  readonly zoneMade: ZoneMade | null;
  /** Each time that an add of this name had a zone made, for whom and when; what is too long ago to count is left out. */
  readonly zonesMade: readonly Contender[];
  /** Counts the changes. */
  readonly revision: number;
}

/** A name that somebody holds. */
export type HeldDomain = CustomDomain & { readonly holder: DomainHolder };

export function isHeld(record: CustomDomain | null): record is HeldDomain {
  return record !== null && record.holder !== null;
}

/** The record with other fields of its holder. */
export function changedHolder(record: HeldDomain, changes: Partial<DomainHolder>): HeldDomain {
  const holder = { ...record.holder, ...changes };
  const { reason, resolvedTarget, zone } = holder;
  const bounded = {
    reason: reason && shortened(reason),
    resolvedTarget: resolvedTarget && shortened(resolvedTarget),
    zone: zone && shortZone(zone),
  };
  return { ...record, holder: { ...holder, ...bounded }, revision: record.revision + 1 };
}

const MOST_NAME_SERVERS = 16;

function shortZone(zone: ZoneView): ZoneView {
  const [nameServers, originalNameServers] = [zone.nameServers, zone.originalNameServers].map((all) =>
    all.slice(0, MOST_NAME_SERVERS).map((name) => shortened(name)),
  );
  return { ...zone, nameServers: nameServers ?? [], originalNameServers: originalNameServers ?? [] };
}

/**
 * A name that nobody has. Its revisions begin with the time, so that a name whose record was removed has none of them twice:
 * an attempt that was paused before changes nothing of the new record.
 */
export function newDomain({ domain, apex }: Pick<CustomDomain, 'domain' | 'apex'>, at: Date): CustomDomain {
  return {
    ...{ domain, apex, holder: null, former: null, contenders: [], zoneMade: null, zonesMade: [] },
    revision: at.getTime(),
  };
}

/** The record without its holder. Whose it was is remembered, if it was proven to be theirs. */
export function released(record: HeldDomain, at: Date): CustomDomain {
  return { ...record, holder: null, former: formerOf(record, at), revision: record.revision + 1 };
}

/**
 * The record of a name that leads here no more, for so long that it may be another's by now. Its holder keeps it, and has to
 * show anew that it is theirs.
 */
export function lapsed(record: HeldDomain, at: Date): HeldDomain {
  const { ownedSince, attachedAt } = record.holder;
  // Until all that leads to the service is undone, it counts as led there.
  const shown = { ownedSince: null, strayedAt: null, provenAt: null };
  const holder = { ...record.holder, ...shown, attachedAt: ownedSince && (attachedAt ?? at) };
  return { ...record, holder, former: formerOf(record, at) };
}

function formerOf({ holder, former }: HeldDomain, at: Date): FormerHolder | null {
  const { serviceId, claimant, ownedSince, provenAt } = holder;
  return ownedSince === null && provenAt === null ? former : { serviceId, org: claimant, until: at };
}

/** Whether a record that nobody holds says anything that later claims are judged by. */
export function isWorthKeeping({ former, contenders, zoneMade, zonesMade }: CustomDomain): boolean {
  return former !== null || contenders.length > 0 || zoneMade !== null || zonesMade.length > 0;
}

/** Whether there is something to look at: of one that failed, nobody looks any more once all of it is undone and told. */
export function isLookedAfter({ state, removingSince, attachedAt, writtenRecord, untold }: DomainHolder): boolean {
  const isLeft = removingSince !== null || attachedAt !== null || writtenRecord !== null || untold.length > 0;
  return state !== 'failed' || isLeft;
}

/** Whether requests for a name go to the service, wherever its record leads at this moment: it is known to be theirs. */
export function isRouted({ ownedSince, removingSince }: DomainHolder): boolean {
  return ownedSince !== null && removingSince === null;
}

/**
 * Whether a certificate is kept for a name: while it is routed in direct mode, unless it failed before it was ever served
 * over TLS. One that was is redirected to TLS, and browsers may come over nothing else.
 */
export function wantsCertificate(holder: DomainHolder): boolean {
  const { mode, state, verifiedAt } = holder;
  return mode === 'direct' && isRouted(holder) && (state !== 'failed' || verifiedAt !== null);
}

/** Whether a name counts as one that leads to the service: it was seen to, and has not failed since. */
export function isVerified({ state, verifiedAt, removingSince }: DomainHolder): boolean {
  return verifiedAt !== null && removingSince === null && state === 'active';
}
