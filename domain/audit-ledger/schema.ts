import { z } from 'zod';
import { FairleadError } from '../errors.ts';
import { isOrgSlug } from '../org-slug.ts';
import type { EventContent } from './canonical.ts';
import type { DayClose, LedgerClose } from './day-close.ts';
import { isDay } from './days.ts';
import type { Hash } from './event.ts';
import { isEntityId, isEventType, isNamespace } from './grammar.ts';

/** Events of one batch request. */
export const MAX_BATCH_EVENTS = 500;

// The same object is handed on: a copy would lose what parsers treat specially, such as a key called `__proto__`.
const jsonObject = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object',
  )
  .meta({ type: 'object', additionalProperties: true });

const REMEDIES: Readonly<Record<string, string>> = {
  createdAt: 'the ledger sets the time: leave it out, and put your own times into data',
  chainIndex: 'the ledger sets it: leave it out',
  id: 'the ledger makes it: leave it out, and send an Idempotency-Key to repeat safely',
};

/** Body of an emit (spec 3, "Audit event"). */
export const emitBodySchema = z.strictObject({
  eventType: z
    .string()
    .refine(isEventType, 'must be {resource}.{action}: lower case, dot-separated, no hyphens, such as payment.created'),
  entityId: z.string().refine(isEntityId, 'must be 1 to 256 printable characters, without spaces around them'),
  namespace: z.string().refine(isNamespace, 'must be a DNS label, as names of services are').optional(),
  orgSlug: z.string().refine(isOrgSlug, 'must be the slug of an org').optional().meta({
    description: 'Owner of the event. Only the platform may send it; with a token it is the org of the token',
  }),
  data: jsonObject.default({}),
  metadata: jsonObject.default({}),
});

export interface EmitBody extends EventContent {
  readonly eventType: string;
  readonly entityId: string;
  readonly namespace?: string | undefined;
  readonly orgSlug?: string | undefined;
}

/** Parses what a service sends as an event. @throws EVENT_INVALID naming every field that is wrong, and what to do about it */
export function parseEmitBody(body: unknown): EmitBody {
  const result = emitBodySchema.safeParse(body);
  if (result.success) return result.data;
  const details = result.error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ field: issue.path.join('.') || 'body', message: issue.message }];
    return issue.keys.map((key) => ({ field: key.slice(0, 100), message: remedyOf(key) }));
  });
  const list = details.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new FairleadError('EVENT_INVALID', `The event is not valid: ${list}`, { details });
}

function remedyOf(key: string): string {
  return (
    (Object.hasOwn(REMEDIES, key) ? REMEDIES[key] : undefined) ??
    'unknown field: put your own fields into data or metadata'
  );
}

/** 32 bytes as {@link Hash} writes them. */
export const hashSchema: z.ZodType<Hash, Hash> = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]);

const day = z.string().refine(isDay);
const count = z.int().min(0);

/** Payload data of a {@link DayClose} as it stands in a chain. */
export const dayCloseSchema: z.ZodType<DayClose> = z.object({
  day,
  namespace: z.string(),
  count,
  firstIndex: count.nullable(),
  lastIndex: count.nullable(),
  head: hashSchema,
});

/** Payload data of a {@link LedgerClose} as it stands in the ledger's own chain. */
export const ledgerCloseSchema: z.ZodType<LedgerClose> = z.object({
  day,
  namespaces: z.array(z.object({ namespace: z.string(), closeHash: hashSchema, count })),
  previousRoot: hashSchema,
});
