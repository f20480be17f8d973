import { describeAddresses, judgeAddresses, judgeTexts, leadOf } from '../../domain/custom-domains/address-look.ts';
import {
  type HeldDomain,
  isSettled,
  type SeenCertificate,
  type ZoneView,
} from '../../domain/custom-domains/custom-domain.ts';
import { recordTo } from '../../domain/custom-domains/mode.ts';
import { ownershipProof } from '../../domain/custom-domains/ownership-proof.ts';
import { type DomainCondition, type DomainFacts, standingOf } from '../../domain/custom-domains/state-table.ts';
import { describeLook } from '../../domain/properties/dns-look.ts';
import { askProof, isProvenWithDomain } from './ask-proof.ts';
import { changeHolder } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { type Found, HOLDS, lookAtZone } from './look-at-zone.ts';

export interface DomainLook {
  readonly facts: DomainFacts;
  /** Why it is not further, for people. */
  readonly reason: string;
  readonly record: HeldDomain;
  /** Where the name leads; undefined where nobody said. */
  readonly resolvedTarget: string | undefined;
  /** As the provider has it now; undefined where it was not asked. */
  readonly zone: ZoneView | null | undefined;
  /** As its certificates say it now; undefined where they were not asked. */
  readonly certificate: SeenCertificate | null | undefined;
}

const NOT_ASKED: Found = { fact: 'unknown', reason: '' };
/**
 * Finds out what the mode of a name asks for, one condition after the other: what stands behind one that does not hold is
 * not asked about. In the mode in which the platform writes the record, it does so once the proof holds.
 */
export async function lookAtDomain(
  deps: CustomDomainsDeps,
  { record, at }: { readonly record: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<DomainLook> {
  const { mode } = record.holder;
  let zone: ZoneView | null | undefined;
  let certificate: SeenCertificate | null | undefined;
  const found: Record<DomainCondition, Found> = {
    ...{ proof: NOT_ASKED, zone: NOT_ASKED, dns: NOT_ASKED, hostname: NOT_ASKED, certificate: NOT_ASKED },
  };
  const proof = await proofOf(deps, { record, at }, signal);
  let current = proof.record;
  found.proof = proof.found;
  if (found.proof.fact === 'holds' || record.holder.state === 'active') {
    if (mode === 'cloudflare' && deps.zones !== null) {
      const managed = await lookAtZone(deps, deps.zones, { record: current, at }, signal);
      const isHere = managed.delegation.fact === 'holds';
      current = isHere ? managed.record : await noteZoneProof(deps, { record: managed.record, at }, signal);
      zone = managed.zone;
      found.zone = managed.delegation;
      found.dns = managed.dns;
    } else {
      found.zone = HOLDS;
      const { lead, ...dns } = await addressesOf(deps, record, signal);
      current = await noteLead(deps, { record: current, at, lead }, signal);
      found.dns = dns;
    }
    // That the zone is there by now, or that the name led here before, asks for a proof that nothing asked for until then.
    if (proof.record.holder.proof === null) found.proof = askedSince(current) ?? found.proof;
    if (mode === 'external') found.hostname = HOLDS;
    if (mode === 'direct' && found.dns.fact === 'holds') {
      ({ found: found.certificate, seen: certificate } = await certificateOf(deps, record));
    }
  }
  const facts = Object.fromEntries(
    Object.entries(found).map(([condition, { fact }]) => [condition, fact]),
  ) as unknown as DomainFacts;
  const { condition } = standingOf(mode, facts, record.holder.state === 'active');
  const unknown = Object.values(found).find(({ fact, reason }) => fact === 'unknown' && reason !== '');
  const reason = condition === null ? (unknown?.reason ?? '') : found[condition].reason;
  return { facts, reason, record: current, zone, certificate, resolvedTarget: found.dns.resolvedTarget };
}

function askedSince({ holder }: HeldDomain): Found | null {
  if (holder.proof === null || isSettled(holder)) return null;
  return { fact: 'missing', reason: `set TXT ${holder.proof.name} to ${holder.proof.value}` };
}

/**
 * Once shown, it is not asked for again: the record may go, as with a zone that moves to the platform's provider. A claim
 * that needed none when it was made is judged again until the name is known to be theirs, by the same rules.
 */
async function proofOf(
  deps: CustomDomainsDeps,
  { record, at }: { readonly record: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<{ readonly record: HeldDomain; readonly found: Found }> {
  if (isSettled(record.holder)) return { record, found: HOLDS };
  const current = await askProof(deps, { record, at }, signal);
  const { proof } = current.holder;
  if (proof === null) return { record: current, found: HOLDS };
  if (await isProvenWithDomain(deps, { record: current, at }, signal)) return { record: current, found: HOLDS };
  const look = await deps.dns.lookUpText({ name: proof.name, apex: record.apex }, proof.value, signal);
  const reason = `set TXT ${proof.name} to ${proof.value}: ${describeLook(look)}`;
  return { record: current, found: { fact: judgeTexts(look, proof.value), reason } };
}

/**
 * A proof that nobody asked for counts as well while the domain is not delegated here: once it is, its owner can publish none,
 * whoever comes between.
 */
async function noteZoneProof(
  deps: CustomDomainsDeps,
  { record, at }: { readonly record: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<HeldDomain> {
  const { domain, apex, holder } = record;
  if (holder.proof !== null || isSettled(holder)) return record;
  const proof = ownershipProof({ ...holder, domain, apex });
  const look = await deps.dns.lookUpText({ name: proof.name, apex }, proof.value, signal);
  return judgeTexts(look, proof.value) === 'holds' ? await changeHolder(deps, record, { proof, provenAt: at }) : record;
}

interface SeenLead {
  readonly record: HeldDomain;
  readonly at: Date;
  readonly lead: ReturnType<typeof leadOf>;
}

/** Of a name of which nobody knew at the claim where it leads, the first answer says so. */
async function noteLead(
  deps: CustomDomainsDeps,
  { record, at, lead }: SeenLead,
  signal?: AbortSignal,
): Promise<HeldDomain> {
  if (record.holder.ledElsewhere || isSettled(record.holder) || lead === null) return record;
  if (lead === 'here') return await askProof(deps, { record, at, leadsHere: true }, signal);
  return await changeHolder(deps, record, { ledElsewhere: true });
}

async function addressesOf(
  { dns }: CustomDomainsDeps,
  { domain, apex, holder }: HeldDomain,
  signal?: AbortSignal,
): Promise<Found & Pick<SeenLead, 'lead'>> {
  const wanted = recordTo(holder.expectedTarget);
  // That an owned name is lost, or that one led elsewhere before its record was set, decides whose it is.
  const needsWitnesses = holder.ownedSince !== null || !holder.ledElsewhere;
  const look = await dns.lookUpAddresses({ name: domain, apex, needsWitnesses }, wanted, signal);
  const alone = wanted.type === 'CNAME' ? '' : ' and have no other address record';
  const reason = `set ${wanted.type} ${domain} to ${wanted.content}${alone}: ${describeAddresses(domain, look)}`;
  const answered = [...look.authoritative, ...look.resolvers].find(({ records }) => records !== null);
  const resolvedTarget = answered?.records?.map(({ type, content }) => `${type} ${content}`).join(', ');
  const lead = leadOf(look, wanted);
  return { fact: judgeAddresses(look, wanted), reason, lead, ...(resolvedTarget !== undefined && { resolvedTarget }) };
}

async function certificateOf(
  { certificates }: CustomDomainsDeps,
  { domain, holder }: HeldDomain,
): Promise<{ readonly found: Found; readonly seen: SeenCertificate | null }> {
  const names = await certificates.read(holder);
  const name = names.find(({ host }) => host === domain);
  if (name === undefined) {
    return { found: { fact: 'missing', reason: 'its certificate was not asked for yet' }, seen: null };
  }
  const { state, reason, notAfter, servedAt } = name;
  const seen = { notAfter: dateOf(notAfter), servedAt: dateOf(servedAt) };
  if (state === 'served') return { found: HOLDS, seen };
  const said = reason === null ? '' : `: ${reason}`;
  return { found: { fact: 'missing', reason: `its certificate is ${state}${said}` }, seen };
}

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));
