import { z } from 'zod';
import {
  type Property,
  type PropertyStatus,
  SOURCE_KINDS,
  statusOf,
  VERIFICATION_STATES,
} from '../../../domain/properties/property.ts';
import { readDocument } from '../read-document.ts';

export interface PropertyDocument extends Omit<Property, 'id' | 'domain'> {
  /** The domain. */
  readonly _id: string;
  readonly propertyId: string;
  /** As the rest says: for the filters of lists. */
  readonly status: PropertyStatus;
}

const text = z.string();
const time = z.date();

const propertySchema = z.object({
  _id: text,
  propertyId: text,
  family: text.nullable(),
  role: text.nullable(),
  source: z
    .object({
      kind: z.enum(SOURCE_KINDS),
      setBy: z.enum(['auto', 'person']).default('auto'),
      setAt: time,
      setByActor: text.nullable(),
      keep: z.boolean(),
      keepReason: text.nullable(),
      placeholder: z.boolean(),
      placeholderSetAt: time.nullable(),
      placeholderSetByActor: text.nullable(),
    })
    .nullable(),
  verification: z.object({
    state: z.enum(VERIFICATION_STATES),
    path: z.enum(['automatic', 'manual']).nullable(),
    token: text.nullable(),
    jobId: text.nullable(),
    tokenRequestedAt: time.nullable(),
    txtWrittenAt: time.nullable(),
    verifyingAt: time.nullable(),
    verifiedAt: time.nullable(),
    errorAt: time.nullable(),
    checkedAt: time.nullable(),
    recordSeen: z.boolean().nullable(),
    owners: z.array(text),
  }),
  lastError: z.object({ source: text, code: text, message: text }).nullable(),
  zone: z.object({ automatable: z.boolean().nullable(), checkedAt: time.nullable() }),
  ignored: z
    .object({ by: z.enum(['map', 'person']), actor: text.nullable(), reason: text.nullable(), at: time })
    .nullable(),
  unignoredAt: time.nullable().default(null),
  map: z.object({ seenAt: time, leftAt: time.nullable() }).nullable(),
  timeline: z.array(z.object({ at: time, event: text, detail: text.nullable() })),
  createdAt: time,
  updatedAt: time,
  revision: z.int(),
});

export function readProperty(document: unknown): Property {
  const { _id, propertyId, ...rest } = readDocument('Property', propertySchema, document);
  return { id: propertyId, domain: _id, ...rest };
}

/** Everything of a Property but its domain. */
export function propertyFields({ id, domain: _domain, ...rest }: Property): Omit<PropertyDocument, '_id'> {
  return { ...rest, propertyId: id, status: statusOf(rest) };
}
