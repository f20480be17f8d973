import { z } from 'zod';
import { MOST_SCOPES } from '../catalog/catalog.ts';
import { ENVIRONMENTS } from '../environment.ts';
import { environmentSchema } from '../environment-schema.ts';
import { GRANT_STATUSES, type Grant } from './grant.ts';

/** Shapes of grants as the API takes and shows them (paths and bodies are ours). */

const partySchema = z.object({ serviceId: z.string(), name: z.string(), org: z.string() });

export const grantViewSchema = z.object({
  id: z.string(),
  holder: partySchema.describe('The service that asks'),
  environment: z.enum(ENVIRONMENTS),
  target: partySchema.describe('The service whose scopes they are; admins of its org decide'),
  scopes: z.array(z.string()).describe('What is asked for'),
  granted: z.array(z.string()),
  status: z.enum(GRANT_STATUSES),
  revision: z.int().positive(),
  requestedBy: z.string(),
  requestedAt: z.iso.datetime(),
  decidedBy: z.string().nullable(),
  decidedAt: z.iso.datetime().nullable(),
});

export type GrantView = z.output<typeof grantViewSchema>;

export function grantView({ holder, target, requestedAt, decidedAt, wasApproved, ...grant }: Grant): GrantView {
  return {
    ...grant,
    holder: { ...holder },
    target: { ...target },
    scopes: [...grant.scopes],
    granted: [...grant.granted],
    requestedAt: requestedAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
  };
}

/** Body of a request by a person. */
export const grantRequestSchema = z.strictObject({
  environment: environmentSchema.default('prod'),
  service: z.string().min(1).max(64).describe('Name of the service whose scopes are asked for'),
  scopes: z.array(z.string().min(1).max(200)).min(1).max(MOST_SCOPES),
});

/** Body of a decision. */
export const grantDecisionSchema = z.strictObject({
  revision: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe(
      'Revision of the grant that the decision is about, null for the present one; refused when it was changed since',
    ),
});

export const grantsQueryShape = { status: z.enum(GRANT_STATUSES).optional() };
