import { z } from 'zod';
import { ENVIRONMENTS } from '../environment.ts';
import { environmentSchema } from '../environment-schema.ts';
import { pageQueryShape } from '../page-schema.ts';
import { DOMAIN_STATES, type HeldDomain, isSettled, wantsCertificate } from './custom-domain.ts';
import { DOMAIN_MODES, recordTo } from './mode.ts';
import { type OwnershipProof, ownershipProof } from './ownership-proof.ts';

/** Shapes of custom domains as the API takes and shows them (spec 2, "Custom domains"). */

const time = z.iso.datetime();
/** As somebody wrote it: `readDomainName` says whether it is one. */
export const domainNameSchema = z.string().min(1).max(2_000);
const idOrName = z.string().min(1).max(64).describe('Id or name of the service');

export const addDomainBodySchema = z.strictObject({
  service: idOrName,
  environment: environmentSchema.default('prod'),
  domain: domainNameSchema.describe('Such as shop.example.com'),
  mode: z.enum(DOMAIN_MODES),
  overwriteExistingRecord: z
    .boolean()
    .default(false)
    .describe('In cloudflare mode: replace address records at the name that lead elsewhere, and no others'),
  canonical: z
    .boolean()
    .optional()
    .describe(
      'Lead the same name with www., or without, to this one once both are served in direct mode; absent: as it is',
    ),
  hsts: z
    .boolean()
    .optional()
    .describe('In direct mode: tell browsers for 180 days to come over TLS alone; absent: as it is'),
});

export const domainParams = z.strictObject({ domain: domainNameSchema });

export const listDomainsQuerySchema = z.strictObject({
  ...pageQueryShape,
  service: idOrName.optional(),
  environment: environmentSchema.optional(),
});

const addressRecordSchema = z.object({ type: z.enum(['A', 'AAAA', 'CNAME']), content: z.string() });

export const domainViewSchema = z.object({
  domain: z.string(),
  service: z.string(),
  environment: z.enum(ENVIRONMENTS),
  mode: z.enum(DOMAIN_MODES),
  dnsProvider: z.enum(DOMAIN_MODES),
  state: z.enum([...DOMAIN_STATES, 'removing']),
  reason: z.string().nullable().describe('Why it is not further, with what each DNS server said'),
  dnsVerified: z.boolean(),
  canonical: z.boolean(),
  hsts: z.boolean(),
  expectedTarget: z.string(),
  resolvedTarget: z.string().nullable().describe('Where it led at the last look'),
  records: z
    .array(z.object({ type: z.enum(['A', 'AAAA', 'CNAME', 'TXT']), name: z.string(), value: z.string() }))
    .describe('What to set where the DNS of the domain is; without what the platform sets itself'),
  zone: z
    .object({
      id: z.string(),
      name: z.string(),
      status: z.enum(['active', 'pending']),
      created: z.boolean(),
      nameServers: z.array(z.string()),
      originalNameServers: z.array(z.string()),
    })
    .nullable(),
  zoneStatus: z.enum(['active', 'pending']).nullable(),
  nameServers: z.array(z.string()),
  replacedRecord: addressRecordSchema.nullable(),
  certificate: z
    .object({
      expiresAt: time.nullable(),
      servedAt: time.nullable().describe('When it was last seen served at the public address of the name'),
    })
    .nullable()
    .describe('In direct mode, as of the newest look; null where none is kept for the name'),
  message: z.string().nullable().describe('What to do next'),
  addedBy: z.string(),
  addedAt: time,
  verifiedAt: time.nullable(),
  observedAt: time.nullable().describe('When what is told here was seen; older while a vendor is away'),
});

export type DomainView = z.infer<typeof domainViewSchema>;

export const domainModesSchema = z.object({
  modes: z.array(
    z.object({
      mode: z.enum(DOMAIN_MODES),
      target: z.string().nullable().describe('What the record of a name has to lead to; null where nothing is set up'),
      unavailable: z.string().nullable().describe('Why no name can be added in this mode, and what the operator sets'),
    }),
  ),
  writesRecords: z.boolean().describe('Whether the platform writes records at its DNS provider; else it shows them'),
});

export type DomainModesView = z.infer<typeof domainModesSchema>;

export const removedDomainSchema = z.object({ domain: z.string(), state: z.enum(['removed', 'removing']) });

export function domainView(record: HeldDomain): DomainView {
  const { domain, holder } = record;
  const { service, environment, mode, expectedTarget, dnsVerified, resolvedTarget, zone, replacedRecord } = holder;
  return {
    ...{ domain, service, environment, mode, dnsProvider: mode, dnsVerified, expectedTarget, resolvedTarget },
    state: holder.removingSince === null ? holder.state : 'removing',
    ...{ canonical: holder.canonical, hsts: holder.hsts },
    reason: holder.reason,
    records: recordsToSet(record),
    zone: zone && { ...zone, nameServers: [...zone.nameServers], originalNameServers: [...zone.originalNameServers] },
    zoneStatus: zone?.status ?? null,
    nameServers: [...(zone?.nameServers ?? [])],
    replacedRecord,
    certificate: certificateOf(holder),
    message: messageOf(record),
    addedBy: holder.addedBy,
    addedAt: holder.addedAt.toISOString(),
    verifiedAt: holder.verifiedAt?.toISOString() ?? null,
    observedAt: holder.observedAt?.toISOString() ?? null,
  };
}

function certificateOf(holder: HeldDomain['holder']): DomainView['certificate'] {
  const { certificate } = holder;
  if (certificate === null || !wantsCertificate(holder)) return null;
  const { notAfter, servedAt } = certificate;
  return { expiresAt: notAfter?.toISOString() ?? null, servedAt: servedAt?.toISOString() ?? null };
}

/** Where the platform waits for the zone, also one that nobody asks for yet: once the zone is here, nobody can set it. */
function proofToSet({ domain, apex, holder }: HeldDomain): OwnershipProof | null {
  if (isSettled(holder)) return null;
  const isEarly = holder.state === 'pending-delegation' && holder.zone !== null;
  return holder.proof ?? (isEarly ? ownershipProof({ ...holder, domain, apex }) : null);
}

function recordsToSet(record: HeldDomain): DomainView['records'] {
  const { domain, holder } = record;
  const { expectedTarget, zone, mode, state } = holder;
  const proof = proofToSet(record);
  const proofs = proof === null ? [] : [{ type: 'TXT' as const, ...proof }];
  const isManaged = mode === 'cloudflare' && (zone !== null || state === 'pending-proof');
  if (isManaged) return proofs;
  const { type, content } = recordTo(expectedTarget);
  return [...proofs, { type, name: domain, value: content }];
}

function messageOf(record: HeldDomain): string | null {
  const { domain, holder } = record;
  const { state, zone, proof } = holder;
  if (holder.removingSince !== null) return 'It is being removed';
  if (state === 'active') return null;
  if (state === 'failed') return `Correct what the reason names, then: \`fairlead domain verify ${domain}\``;
  if (state === 'pending-proof' && proof !== null) {
    const isOfZone = holder.mode === 'cloudflare' && holder.claimant === holder.org;
    const given = isOfZone ? `, which gives all names of that domain to ${holder.org}` : '';
    const late = isOfZone
      ? '. If the name servers of the domain are the platform’s already, ask its operator to set it'
      : '';
    return `Show that the name is yours: set TXT ${proof.name} to ${proof.value}${given}${late}`;
  }
  if (state === 'pending-delegation' && zone !== null) {
    const step = `Set the name servers of ${zone.name} to ${zone.nameServers.join(' and ')} at its registrar`;
    const early = proofToSet(record);
    const shown = early && `set TXT ${early.name} to ${early.value}, so that nobody who adds a name of it delays yours`;
    return shown === null ? step : `${step}. Before that, where its DNS is now, ${shown}`;
  }
  if (state === 'pending-certificate') return 'The DNS is right; the certificate comes by itself';
  return 'Set the records; they are looked for by themselves';
}
