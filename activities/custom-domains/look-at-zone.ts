import type { Fact } from '../../domain/custom-domains/address-look.ts';
import { isSame } from '../../domain/custom-domains/conflicts.ts';
import type { HeldDomain, ZoneView } from '../../domain/custom-domains/custom-domain.ts';
import { recordTo } from '../../domain/custom-domains/mode.ts';
import type { DomainZone, DomainZones, ProviderRecord } from '../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { findHolder } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { writeRecord, zoneView } from './write-record.ts';

/** What is known of one condition of a name. */
export interface Found {
  readonly fact: Fact;
  /** For people, where it does not hold. */
  readonly reason: string;
  /** Where the name leads. */
  readonly resolvedTarget?: string;
}

export const HOLDS: Found = { fact: 'holds', reason: '' };

export interface ZoneLook {
  readonly record: HeldDomain;
  /** Null where it is gone. */
  readonly zone: ZoneView | null;
  readonly delegation: Found;
  readonly dns: Found;
}

/**
 * Looks at a name in the platform's own zone, whose record it writes first where it is not written yet. A record that is
 * flattened or proxied shows to the public as addresses of the edge: the zone says where it leads (spec 2, "Custom
 * domains", 3).
 */
export async function lookAtZone(
  deps: CustomDomainsDeps,
  zones: DomainZones,
  of: { readonly record: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<ZoneLook> {
  const { domain, apex } = of.record;
  const { current, problem } = await writeOnce(deps, zones, of, signal);
  const zone = await zones.findZone(apex, signal);
  if (zone === null) {
    const why = problem ?? `the zone ${apex} is gone from the account of the DNS provider`;
    const gone: Found = { fact: 'missing', reason: why };
    return { record: current, zone, delegation: gone, dns: gone };
  }
  const existing = await zones.read(zone, domain, signal);
  const dns = dnsOf(current, existing, problem);
  const seen = zoneView(zone, { before: current.holder.zone, created: current.holder.zone?.created ?? false });
  return { record: current, zone: seen, delegation: delegationOf(zone), dns };
}

function delegationOf({ name, status, nameServers }: DomainZone): Found {
  if (status === 'active') return HOLDS;
  const wanted = nameServers.join(' and ');
  if (status === 'pending')
    return { fact: 'missing', reason: `set the name servers of ${name} to ${wanted} at its registrar` };
  const reason = `nobody said which name servers ${name} has: unless its registrar has them already, set them to ${wanted} there`;
  return { fact: 'unknown', reason };
}

/** What a person is told, and mends. */
const TOLD: ReadonlySet<string> = new Set(['DNS_RECORD_EXISTS', 'RATE_LIMITED']);

/** Of a name that was served once nothing is written by itself: somebody took the record away. */
async function writeOnce(
  deps: CustomDomainsDeps,
  zones: DomainZones,
  of: { readonly record: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<{ readonly current: HeldDomain; readonly problem: string | null }> {
  const { record } = of;
  const { domain, holder } = record;
  const { id: holderId, verifiedAt, writtenRecord } = holder;
  if (verifiedAt !== null && writtenRecord !== null) return { current: record, problem: null };
  try {
    return { current: await writeRecord(deps, zones, of, signal), problem: null };
  } catch (error) {
    if (!(error instanceof FairleadError) || !TOLD.has(error.code)) throw error;
    // What was noted of its zone may have changed it.
    return { current: (await findHolder(deps, { domain, holderId })) ?? record, problem: error.message };
  }
}

function dnsOf(
  { domain, apex, holder }: HeldDomain,
  existing: readonly ProviderRecord[],
  problem: string | null,
): Found {
  const wanted = recordTo(holder.expectedTarget);
  const resolvedTarget = existing.map((one) => describeRecord(one, domain === apex)).join(', ');
  if (existing.length === 1 && existing.every((one) => isSame(one, wanted))) return { ...HOLDS, resolvedTarget };
  const gone = `${wanted.type} ${domain} to ${wanted.content} is gone from its zone: \`fairlead domain verify ${domain}\` writes it again`;
  return { fact: 'missing', reason: problem ?? gone, resolvedTarget };
}

/** A CNAME at the apex of a zone is flattened: no CNAME may stand there. */
function describeRecord({ type, content, isProxied }: ProviderRecord, isApex: boolean): string {
  const mark = isProxied ? ' (proxied)' : type === 'CNAME' && isApex ? ' (flattened)' : '';
  return `${type} ${content}${mark}`;
}
