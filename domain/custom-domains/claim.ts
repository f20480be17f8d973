import type { Environment } from '../environment.ts';
import { type CustomDomain, type DomainHolder, isHeld, type ZoneMade } from './custom-domain.ts';
import { type DomainMode, isWithin } from './mode.ts';

/** How long a name that left a service is not given to another one without a proof: records may still lead here. */
export const FORMER_DAYS = 90;
const DAY_MS = 86_400_000;

/** Orgs for which names of a registrable domain were added, each once, and how the zone of it was made. */
export interface OrgsOfApex {
  /** A name is known to be theirs. */
  readonly owning: readonly string[];
  /** They gave one back that was theirs, within {@link FORMER_DAYS}: records of its siblings may lead here still. */
  readonly left: readonly string[];
  /** The same, whenever that was. */
  readonly leftEver: readonly string[];
  /** They have proven the registrable domain or its zone for a service of their own, and a name by that proof is theirs. */
  readonly proven: readonly string[];
  /** They were given a name without a proof whose record the platform writes: the zone was delegated to them alone. */
  readonly delegated: readonly string[];
  /** They hold a name that has not failed, whether or not it is theirs. */
  readonly holding: readonly string[];
  /** By whose add the zone was made last; null where none was. */
  readonly zoneMade: ZoneMade | null;
}

/** Since when a name that left a service counts. */
export const formerSince = (now: Date): Date => new Date(now.getTime() - FORMER_DAYS * DAY_MS);

export interface ClaimRequest {
  readonly domain: string;
  readonly apex: string;
  readonly serviceId: string;
  /** The owner of the service. */
  readonly org: string;
  /** Who says that the name is theirs, and is judged: the owner, or an org that shares the service. */
  readonly claimant: string;
  readonly byAdministrator: boolean;
  readonly environment: Environment;
  readonly mode: DomainMode;
}

/** What a claim is judged by. */
export interface ClaimFacts {
  readonly record: CustomDomain | null;
  /** False where the service of the holder was deleted. */
  readonly holderExists: boolean;
  /** Whether the claimant's proof shows in the DNS; asked where it decides something. */
  readonly isProven: boolean;
  /** Of names of the same registrable domain. */
  readonly orgsOfApex: OrgsOfApex;
  /** Whether the holder, who is another, owes a proof that it has not shown. */
  readonly holderOwesProof: boolean;
  /** Whether the claimant has the registrable domain itself, by its DNS. */
  readonly ownsApex: boolean;
  /** Whether its DNS leads here already, and was not seen to lead elsewhere since the claim. */
  readonly leadsHere: boolean;
  /** Whether the DNS provider's account has a zone of the registrable domain. */
  readonly hasZone: boolean;
  /**
   * Whether the name was the claimant's in that very zone, strayed with it, and nobody else has shown since that names of the domain
   * are theirs, nor waits for one in a zone that was made for them: once it is delegated again, its owner can publish nothing.
   */
  readonly isBackInZone: boolean;
  readonly platformOrg: string;
  /** PLATFORM_DOMAIN, and the hosts of the platform's own parts. */
  readonly platformNames: readonly string[];
  readonly now: Date;
}

export type ClaimVerdict =
  | { readonly kind: 'taken' }
  /** It is the claimant's already, in another environment. */
  | { readonly kind: 'elsewhere'; readonly environment: Environment }
  /** It is the claimant's already. */
  | { readonly kind: 'held' }
  /** It is free, or its holder gives way. */
  | { readonly kind: 'free'; readonly displaces: DomainHolder | null; readonly asksProof: boolean };

/** Who may have a name: one table, read from the top. */
export function judgeClaim(claim: ClaimRequest, facts: ClaimFacts): ClaimVerdict {
  const { record } = facts;
  const asksProof = !facts.isProven && needsProof(claim, facts);
  if (!isHeld(record)) return { kind: 'free', displaces: null, asksProof };
  const { holder } = record;
  if (holder.serviceId === claim.serviceId) {
    if (holder.environment !== claim.environment) return { kind: 'elsewhere', environment: holder.environment };
    return { kind: 'held' };
  }
  const gives = givesWay(holder, facts, asksProof);
  return gives ? { kind: 'free', displaces: holder, asksProof } : { kind: 'taken' };
}

/**
 * Whether one who holds a name loses it to another service. Whoever is known to own it, or has proven it, does by a proof alone,
 * and nobody does to a claim that still owes its own. Who owes one gives way to whoever owes none: the zone is theirs by now.
 */
function givesWay(holder: DomainHolder, facts: ClaimFacts, asksProof: boolean): boolean {
  if (!facts.holderExists) return true;
  if (facts.isProven) return yieldsToProof(holder);
  const hasFailed = holder.state === 'failed' && holder.ownedSince === null && holder.provenAt === null;
  return !asksProof && (hasFailed || facts.holderOwesProof);
}

/**
 * Whether a proof takes the name from its holder. Records that lead here say of no service which one is meant; who writes the
 * DNS of the name says it, and is believed. So is whom they said it of last, for as long as the name is served.
 */
export function yieldsToProof({ state, provenAt }: Pick<DomainHolder, 'state' | 'provenAt'>): boolean {
  return provenAt === null || state !== 'active';
}

/**
 * Whether the DNS that leads here proves nothing about this claimant, so that a TXT record has to: records that outlive a
 * removal would give the name to the next one who asks for it. Asked at the claim, and at each look until the name is known
 * to be theirs: its owner may have come since.
 */
export function needsProof(claim: ClaimRequest, facts: ClaimFacts): boolean {
  return !facts.isBackInZone && PROOF_RULES.some((applies) => applies(claim, facts));
}

type ProofRule = (claim: ClaimRequest, facts: ClaimFacts) => boolean;

/**
 * Whether an administrator gives the name to a service of the platform's own org: all zones are the operator's to give. That
 * org alone is not enough, as its members have no more to do with other orgs' zones than anybody.
 */
export function isGivenByPlatform(
  { byAdministrator, org, claimant }: Pick<ClaimRequest, 'byAdministrator' | 'org' | 'claimant'>,
  { platformOrg }: Pick<ClaimFacts, 'platformOrg'>,
): boolean {
  return byAdministrator && org === platformOrg && claimant === platformOrg;
}

/**
 * Of names whose record the platform writes, so that the record proves nothing; who has proven the registrable domain has all
 * of it.
 */
const whereWritten =
  (applies: ProofRule): ProofRule =>
  (claim, facts) =>
    claim.mode === 'cloudflare' &&
    !isGivenByPlatform(claim, facts) &&
    !hasProvenApex(claim, facts) &&
    applies(claim, facts);

/** Of what others say, which counts nothing against whom the whole zone belongs to. */
const unlessZoneIsTheirs =
  (applies: ProofRule): ProofRule =>
  (claim, facts) =>
    !hasProvenApex(claim, facts) && !isKeeperOfZone(claim, facts) && applies(claim, facts);

const PROOF_RULES: readonly ProofRule[] = [
  // An org that shares the service adds it: what is the owner's was not given to that org.
  ({ org, claimant }) => claimant !== org,
  // It left another service lately.
  unlessZoneIsTheirs((claim, facts) => leftLately(facts) && !comesBack(claim, facts)),
  // Its holder gives way now, and was known to own it.
  unlessZoneIsTheirs(
    ({ serviceId }, { record }) =>
      isHeld(record) && record.holder.serviceId !== serviceId && record.holder.ownedSince !== null,
  ),
  // Another org asked for it as well.
  unlessZoneIsTheirs(
    ({ claimant }, { record, now }) =>
      record?.contenders.some((other) => other.org !== claimant && other.at > formerSince(now)) ?? false,
  ),
  // That of the platform is its administrators' to give.
  (claim, facts) => !isGivenByPlatform(claim, facts) && facts.platformNames.some((name) => isWithin(name, claim.apex)),
  // Its registrable domain is another org's, or was lately.
  (claim, facts) =>
    !hasProvenApex(claim, facts) && isAnothers(claim.claimant, [...facts.orgsOfApex.owning, ...facts.orgsOfApex.left]),
  // Another org says that a name of it is theirs: records and delegations say of none whom they mean.
  unlessZoneIsTheirs(({ claimant }, { orgsOfApex }) => isAnothers(claimant, orgsOfApex.holding)),
  // It led here before anybody asked: that was meant for somebody else, or was left behind. An administrator knows for whom.
  unlessZoneIsTheirs(
    (claim, facts) => facts.leadsHere && !facts.ownsApex && !claim.byAdministrator && !comesBack(claim, facts),
  ),
  // A name of it was another org's, however long ago: so may the zone be.
  whereWritten(({ claimant }, { orgsOfApex }) => isAnothers(claimant, orgsOfApex.leftEver)),
  // The zone is the operator's, or was made for another org; or it was delegated here before, as one that was left behind.
  whereWritten(({ claimant }, { hasZone, orgsOfApex: { zoneMade } }) => {
    return hasZone && !(zoneMade?.org === claimant && zoneMade.wasElsewhere && !zoneMade.isGone);
  }),
];

function leftLately({ record, now }: ClaimFacts): boolean {
  const former = record?.former ?? null;
  return former !== null && former.until > formerSince(now);
}

/**
 * Whether the service had the name last, and lately. In a zone of the platform's, where a proof is of the org and its owner can
 * publish none, any service of the org had.
 */
function comesBack({ serviceId, org, claimant }: ClaimRequest, facts: ClaimFacts): boolean {
  const former = facts.record?.former ?? null;
  if (!leftLately(facts) || former?.org !== claimant) return false;
  return former.serviceId === serviceId || (facts.hasZone && claimant === org);
}

/** Who has all of a registrable domain, by a proof that was shown at it. */
const hasProvenApex = ({ claimant }: ClaimRequest, { orgsOfApex }: ClaimFacts): boolean =>
  orgsOfApex.proven.includes(claimant);

/**
 * Whom the zone was delegated to before the others came: they cannot publish a proof in it any more. Without a zone of the
 * platform's, the customer sets the record, which says nothing of the rest of the domain.
 */
function isKeeperOfZone(claim: ClaimRequest, facts: ClaimFacts): boolean {
  if (claim.mode !== 'cloudflare') return false;
  if (isGivenByPlatform(claim, facts)) return true;
  return facts.hasZone && facts.orgsOfApex.delegated.includes(claim.claimant);
}

const isAnothers = (org: string, orgs: readonly string[]): boolean => orgs.some((other) => other !== org);
