import { isGivenByPlatform } from '../../domain/custom-domains/claim.ts';
import { planRecord } from '../../domain/custom-domains/conflicts.ts';
import {
  type DomainHolder,
  type HeldDomain,
  isSettled,
  type ZoneView,
} from '../../domain/custom-domains/custom-domain.ts';
import { bareName, recordTo } from '../../domain/custom-domains/mode.ts';
import type { DomainZone, DomainZones } from '../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { askProof } from './ask-proof.ts';
import { changeHolder } from './change-domain.ts';
import { requireZoneRoom, zonesSince } from './claim-limits.ts';
import type { CustomDomainsDeps } from './deps.ts';

/**
 * Writes the record of a name into the zone of its registrable domain at the platform's DNS provider, which is made where
 * there is none (spec 2, "Custom domains", 1 and 2). That a claim had a zone made proves nothing: until the zone is
 * delegated, only who has shown that the name is theirs has records written into it. Idempotent: what leads there is kept;
 * what is replaced is noted before it is.
 * @throws DNS_RECORD_EXISTS, and nothing is changed; RATE_LIMITED for one zone too many; CONFLICT (retryable); what the
 *   provider refuses
 */
export async function writeRecord(
  deps: CustomDomainsDeps,
  zones: DomainZones,
  { record, at }: { readonly record: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<HeldDomain> {
  const { domain, apex } = record;
  const found = await findOrMakeZone(deps, zones, { record, at }, signal);
  const { zone, created } = found;
  const { holder } = found.record;
  const wanted = recordTo(holder.expectedTarget);
  const existing = await zones.read(zone, domain, signal);
  const { replaceableTargets, platformDomain } = deps.settings;
  const plan = planRecord({
    ...{ domain, apex, wanted, existing, replaceableTargets, platformDomain },
    overwrite: holder.overwrite,
  });
  if (plan.kind === 'refuse') throw recordExists(domain, plan.foreign);
  const seen = { zone: zoneView(zone, { before: holder.zone, created }), dnsVerified: created || holder.dnsVerified };
  const judged = await askProof(deps, { record: found.record, at }, signal);
  if (!mayWrite(deps, { ...found, record: judged })) return await changeHolder(deps, judged, seen);
  const isOwn = plan.kind !== 'keep' || existing.some((one) => one.isOwn);
  const changes: Partial<DomainHolder> = {
    ...seen,
    writtenRecord: isOwn ? wanted : null,
    ...(plan.kind === 'replace' && plan.replaced[0] !== undefined && { replacedRecord: plan.replaced[0] }),
  };
  const noted = await changeHolder(deps, judged, changes);
  if (plan.kind !== 'keep') await zones.replace(zone, domain, { expected: existing, wanted }, signal);
  return noted;
}

interface FoundZone {
  readonly record: HeldDomain;
  readonly zone: DomainZone;
  /** Whether an add of this name made it. */
  readonly created: boolean;
}

/** That one is made is noted before it is: a killed attempt counts, and the next one knows the zone for its own. */
async function findOrMakeZone(
  deps: CustomDomainsDeps,
  zones: DomainZones,
  { record, at }: { readonly record: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<FoundZone> {
  const { apex, holder } = record;
  const known = await zones.findZone(apex, signal);
  if (known !== null) {
    const { zoneMade } = record;
    const isOwn = zoneMade?.org === holder.claimant && !zoneMade.isGone && known.status !== 'active';
    const found = isOwn ? await noteElsewhere(deps, record, known) : record;
    return { record: found, zone: known, created: holder.zone?.created ?? isOwn };
  }
  const noted = await noteZone(deps, record, at);
  const zone = await makeZone(deps, zones, { noted, at }, signal);
  return { record: await noteElsewhere(deps, noted, zone), zone, created: true };
}

/** One that an attempt before this one noted, and that may be made by now, is the same one. */
async function noteZone({ domains }: CustomDomainsDeps, record: HeldDomain, at: Date): Promise<HeldDomain> {
  const { zoneMade, holder } = record;
  const org = holder.claimant;
  if (zoneMade?.org === org && !zoneMade.isGone) return record;
  const noted: HeldDomain = {
    ...record,
    zoneMade: { org, at, wasElsewhere: false, isGone: false, isRemoving: false },
    zonesMade: [...record.zonesMade.filter((made) => made.at > zonesSince(at)), { org, at }],
    revision: record.revision + 1,
  };
  await domains.replace(noted);
  return noted;
}

/** A zone for which there is no room, or that the provider refuses to make, and does not have, is noted no more. */
async function makeZone(
  deps: CustomDomainsDeps,
  zones: DomainZones,
  { noted, at }: { readonly noted: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<DomainZone> {
  const { apex } = noted;
  try {
    await requireZoneRoom(deps, noted, at);
    return await zones.createZone(apex, signal);
  } catch (error) {
    const isRefused = error instanceof FairleadError && ['RATE_LIMITED', 'DNS_PROVIDER_REFUSED'].includes(error.code);
    if (isRefused && (await zones.findZone(apex, signal)) === null) {
      const zonesMade = noted.zonesMade.slice(0, -1);
      await deps.domains.replace({ ...noted, zoneMade: null, zonesMade, revision: noted.revision + 1 });
    }
    throw error;
  }
}

/** Notes once that the domain of a zone leads elsewhere, so that who delegates it here later is its owner. */
async function noteElsewhere(deps: CustomDomainsDeps, record: HeldDomain, zone: DomainZone): Promise<HeldDomain> {
  const { zoneMade } = record;
  if (zoneMade === null || zoneMade.wasElsewhere || !isElsewhere(zone)) return record;
  const noted: HeldDomain = {
    ...record,
    zoneMade: { ...zoneMade, wasElsewhere: true },
    revision: record.revision + 1,
  };
  await deps.domains.replace(noted);
  return noted;
}

/** A domain of which no name servers are known may be delegated here: servers without its zone answer nobody. */
function isElsewhere({ status, nameServers, originalNameServers }: DomainZone): boolean {
  const own = new Set(nameServers.map(bareName));
  const others = originalNameServers.map(bareName);
  return status === 'pending' && others.length > 0 && others.every((name) => !own.has(name));
}

/** Judged a moment ago, with the zone as it is: a claim that owes no proof has its record once the zone is delegated. */
function mayWrite({ settings }: CustomDomainsDeps, { record, zone }: FoundZone): boolean {
  if (isSettled(record.holder)) return true;
  if (record.holder.proof !== null) return false;
  return isGivenByPlatform(record.holder, settings) || zone.status === 'active';
}

/** While nobody says to whom it is delegated, what was seen of that before stays. */
export function zoneView(
  { id, name, status, nameServers, originalNameServers }: DomainZone,
  { before, created }: { readonly before: ZoneView | null; readonly created: boolean },
): ZoneView {
  const seen = { id, name, created, nameServers };
  if (status !== 'unknown') return { ...seen, status, originalNameServers };
  const { status: known = 'pending', originalNameServers: originals = [] } = before ?? {};
  return { ...seen, status: known, originalNameServers: originals };
}

function recordExists(
  domain: string,
  records: readonly { readonly type: string; readonly content: string }[],
): FairleadError {
  const [first] = records;
  const more = records.length > 1 ? ` and ${records.length - 1} more` : '';
  const message = `${domain} leads elsewhere already: ${first?.type} ${first?.content}${more}. Remove that record, or add the name with overwriteExistingRecord.`;
  return new FairleadError('DNS_RECORD_EXISTS', message, { details: { records } });
}
