import { z } from 'zod';
import { normaliseDomain } from './domain-name.ts';
import { PROPERTY_STATUSES, type Property, SOURCE_KINDS, statusOf, VERIFICATION_STATES } from './property.ts';
import { VERIFY_OUTCOMES, type VerifyJob } from './verify-job.ts';

/** The most domains of one request that names them. */
const MOST_BULK_DOMAINS = 500;

/** A domain in a path or a body, in any form that people write: it is read as the domain of a Property. */
export const domainSchema = z
  .string()
  .min(1)
  // In a path each character may take twelve: what HTTP servers read of one is 16 KiB.
  .max(1_000)
  .meta({ description: 'A domain; scheme, www and path are left out of account', examples: ['example.com'] })
  .transform((text, context) => {
    const found = normaliseDomain(text);
    if ('domain' in found) return found.domain;
    context.addIssue({ code: 'custom', message: `${found.refused}; give one like example.com` });
    return z.NEVER;
  });

const time = z.iso.datetime();
const text = z.string();

const sourceSchema = z.object({
  kind: z.enum(SOURCE_KINDS),
  setBy: z.enum(['auto', 'person']),
  setAt: time,
  setByActor: text.nullable(),
  keep: z.boolean(),
  keepReason: text.nullable(),
  placeholder: z.boolean(),
  placeholderSetAt: time.nullable(),
  placeholderSetByActor: text.nullable(),
});

const verificationSchema = z.object({
  state: z.enum(VERIFICATION_STATES),
  path: z.enum(['automatic', 'manual']).nullable().describe('manual: the nameservers are elsewhere'),
  token: text.nullable().describe('What the TXT record at the apex holds'),
  jobId: text.nullable(),
  tokenRequestedAt: time.nullable(),
  txtWrittenAt: time.nullable(),
  verifyingAt: time.nullable(),
  verifiedAt: time.nullable(),
  errorAt: time.nullable(),
  checkedAt: time.nullable().describe('When the search engine was last asked whether it still is verified'),
  recordSeen: z.boolean().nullable().describe('Whether the record was in the public DNS then'),
  owners: z.array(text).describe("Verified owners besides the platform's own account"),
});

/** A Property in lists. */
export const propertySchema = z.object({
  id: text,
  domain: text,
  status: z.enum(PROPERTY_STATUSES),
  family: text.nullable(),
  role: text.nullable(),
  source: sourceSchema.nullable(),
  verification: verificationSchema,
  lastError: z.object({ source: text, code: text, message: text }).nullable().describe('Set while the status is error'),
  automatable: z.boolean().describe('Its zone is in a DNS account of ours, as it was at the last daily look'),
  ignored: z
    .object({ by: z.enum(['map', 'person']), actor: text.nullable(), reason: text.nullable(), at: time })
    .nullable(),
  map: z
    .object({ seenAt: time, leftAt: time.nullable() })
    .nullable()
    .describe('When the domain map had it last; leftAt: since when it has it no more'),
  createdAt: time,
  updatedAt: time,
});

/** One Property, with what happened to it. */
export const propertyWithTimelineSchema = propertySchema.extend({
  timeline: z.array(z.object({ at: time, event: text, detail: text.nullable() })).describe('Oldest first'),
});

export type PropertyView = z.infer<typeof propertySchema>;

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** A Property as replies show it. */
export function propertyView(property: Property): PropertyView {
  const { id, domain, family, role, source, verification, lastError, zone, ignored, map } = property;
  return {
    ...{ id, domain, status: statusOf(property), family, role },
    source: source && {
      ...source,
      setAt: source.setAt.toISOString(),
      placeholderSetAt: iso(source.placeholderSetAt),
    },
    verification: {
      ...verification,
      owners: [...verification.owners],
      tokenRequestedAt: iso(verification.tokenRequestedAt),
      txtWrittenAt: iso(verification.txtWrittenAt),
      verifyingAt: iso(verification.verifyingAt),
      verifiedAt: iso(verification.verifiedAt),
      errorAt: iso(verification.errorAt),
      checkedAt: iso(verification.checkedAt),
    },
    lastError,
    automatable: zone.automatable === true,
    ignored: ignored && { ...ignored, at: ignored.at.toISOString() },
    map: map && { seenAt: map.seenAt.toISOString(), leftAt: iso(map.leftAt) },
    createdAt: property.createdAt.toISOString(),
    updatedAt: property.updatedAt.toISOString(),
  };
}

export function propertyWithTimeline(property: Property): z.infer<typeof propertyWithTimelineSchema> {
  const timeline = property.timeline.map((entry) => ({ ...entry, at: entry.at.toISOString() }));
  return { ...propertyView(property), timeline };
}

export const propertyPageSchema = z.object({
  items: z.array(propertySchema),
  total: z.int().describe('How many match the filter in all'),
  limit: z.int(),
  offset: z.int(),
});

const countsShape = {
  total: z.int(),
  verified: z.int(),
  unverified: z.int().describe('Neither verified nor ignored: those in error as well'),
  error: z.int().describe('Of the unverified'),
  automatable: z.int().describe('Of the unverified: their zone is in a DNS account of ours'),
  manual: z.int().describe('Of the unverified: all others'),
  ignored: z.int(),
  needsGeneratedSite: z.int().describe('Legacy, not ignored and not kept'),
  placeholders: z.int(),
  keptLegacy: z.int(),
};

export const overviewSchema = z.object({
  ...countsShape,
  families: z.record(z.string(), z.object(countsShape)).describe('Those without a family are under the empty text'),
});

export const whoamiSchema = z.object({
  kind: z.enum(['person', 'service']),
  id: text.describe('A user id, or a client id'),
  org: text,
  scopes: z.array(text).describe('Of the site registry; a platform admin passes all'),
  actingUser: text.nullable().describe('Whom x-acting-user names'),
});

export const syncSummarySchema = z.object({
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  left: z.int().describe('Properties that the map has no more: they are kept, and marked'),
  ignored: z.int().describe('Lines that say so'),
  invalid: z.array(z.object({ text, reason: text })).describe('Lines that were left out: the first 100'),
});

export const ignoreBodySchema = z.strictObject({
  ignored: z.boolean().default(true).describe('false takes it back, whoever said it'),
  reason: z.string().trim().min(1).max(500).optional(),
});

export const ownerBodySchema = z.strictObject({
  email: z
    .email()
    .max(254)
    .meta({ examples: ['ada@example.com'] }),
});

export const ownersSchema = z.object({
  domain: text,
  owners: z.array(text).describe('All, as the search engine has them'),
});

export const recordSchema = z.object({
  domain: text,
  type: z.literal('TXT'),
  name: text.describe('The apex: @ in most forms'),
  value: text,
  path: z.enum(['automatic', 'manual']).nullable(),
});

export const checkSchema = z.object({
  domain: text,
  verified: z.boolean(),
  reason: text.nullable().describe('Why it is not'),
  property: propertySchema,
});

export const startedVerifySchema = z.object({
  jobId: text,
  domain: text,
  poll: text.describe('The path at which to ask for the job'),
  property: propertySchema,
});

export const bulkBodySchema = z
  .strictObject({
    filter: z.literal('automatable').optional(),
    domains: z.array(domainSchema).min(1).max(MOST_BULK_DOMAINS).optional(),
  })
  .refine(({ filter, domains }) => (filter === undefined) !== (domains === undefined), {
    message: 'either filter or domains',
  });

export const startedBulkSchema = z.object({ jobId: text, total: z.int(), poll: text });

export const verifyJobSchema = z.object({
  id: text,
  kind: z.literal('verify'),
  status: z.enum(['running', 'done']),
  progress: z.object({ total: z.int(), done: z.int() }),
  outcomes: z
    .array(z.object({ domain: text, outcome: z.enum(VERIFY_OUTCOMES), message: text.nullable(), at: time }))
    .describe(
      'record-not-seen-yet: a person sets the record. error: the Property is in error. skipped: unknown, ignored, or in a run of another job',
    ),
  requestedBy: text,
  createdAt: time,
  finishedAt: time.nullable(),
});

export function verifyJobView(job: VerifyJob): z.infer<typeof verifyJobSchema> {
  const { id, kind, status, domains, outcomes, requestedBy, createdAt, finishedAt } = job;
  return {
    ...{ id, kind, status, progress: { total: domains.length, done: outcomes.length } },
    outcomes: outcomes.map((one) => ({ ...one, at: one.at.toISOString() })),
    ...{ requestedBy, createdAt: createdAt.toISOString(), finishedAt: iso(finishedAt) },
  };
}
