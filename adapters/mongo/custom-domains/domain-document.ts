import { z } from 'zod';
import { type CustomDomain, DOMAIN_STATES } from '../../../domain/custom-domains/custom-domain.ts';
import { DOMAIN_MODES } from '../../../domain/custom-domains/mode.ts';
import { UNTOLD_EVENTS } from '../../../domain/custom-domains/untold.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { readDocument } from '../read-document.ts';

export interface DomainDocument extends Omit<CustomDomain, 'domain'> {
  /** The name. */
  readonly _id: string;
}

const text = z.string();
const time = z.date();
const addressRecord = z.object({ type: z.enum(['A', 'AAAA', 'CNAME']), content: text }).nullable();

const zone = z
  .object({
    id: text,
    name: text,
    status: z.enum(['active', 'pending']),
    created: z.boolean(),
    nameServers: z.array(text),
    originalNameServers: z.array(text),
  })
  .nullable();

const holderShape = z.object({
  id: text,
  serviceId: text,
  service: text,
  org: text,
  claimant: text.optional(),
  sharingRevision: z.int().nullable().default(null),
  byAdministrator: z.boolean().default(false),
  environment: z.enum(ENVIRONMENTS),
  mode: z.enum(DOMAIN_MODES),
  expectedTarget: text,
  state: z.enum(DOMAIN_STATES),
  reason: text.nullable(),
  dnsVerified: z.boolean(),
  proof: z.object({ name: text, value: text }).nullable(),
  provenAt: time.nullable(),
  ownedSince: time.nullable(),
  strayedAt: time.nullable().default(null),
  // Claims from before this was asked are judged as they were.
  ledElsewhere: z.boolean().default(true),
  verifiedAt: time.nullable(),
  zone,
  writtenRecord: addressRecord,
  replacedRecord: addressRecord,
  overwrite: z.boolean(),
  canonical: z.boolean().default(false),
  hsts: z.boolean().default(false),
  attachedAt: time.nullable(),
  pendingSince: time.nullable(),
  looks: z.int(),
  lost: z.object({ since: time, looks: z.int(), seenAt: time.nullable().default(null) }).nullable(),
  untold: z.array(z.object({ event: z.enum(UNTOLD_EVENTS), reason: text.nullable(), at: time })).default([]),
  lostToldAt: time.nullable().default(null),
  addedBy: text,
  addedAt: time,
  resolvedTarget: text.nullable(),
  observedAt: time.nullable(),
  certificate: z.object({ notAfter: time.nullable(), servedAt: time.nullable() }).nullable().default(null),
  removingSince: time.nullable(),
});

/** Names that were added before orgs that share a service were told apart are the owner's. */
const holder = holderShape.transform(({ claimant, ...rest }) => ({ ...rest, claimant: claimant ?? rest.org }));

const contender = z.object({ org: text, at: time });

const no = z.boolean().default(false);

const domainSchema = z.object({
  _id: text,
  apex: text,
  holder: holder.nullable(),
  former: z.object({ serviceId: text, org: text, until: time }).nullable(),
  contenders: z.array(contender).default([]),
  zoneMade: contender.extend({ wasElsewhere: no, isGone: no, isRemoving: no }).nullable().default(null),
  zonesMade: z.array(contender).optional(),
  revision: z.int(),
});

export function readDomain(document: unknown): CustomDomain {
  const { _id, ...rest } = readDocument('custom domain', domainSchema, document);
  const { zoneMade } = rest;
  // Before each making was kept, the newest one was.
  const { zonesMade = zoneMade === null ? [] : [{ org: zoneMade.org, at: zoneMade.at }] } = rest;
  return { domain: _id, ...rest, zonesMade };
}
