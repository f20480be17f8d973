import { z } from 'zod';
import { hashSchema } from './schema.ts';

/** An event as callers see it. With its canonical `payloadHash`, everything that its hash covers. */
export const eventViewSchema = z.object({
  id: z.string(),
  namespace: z.string(),
  chainIndex: z.int(),
  orgSlug: z.string(),
  emitter: z.string(),
  eventType: z.string(),
  entityId: z.string(),
  data: z.unknown(),
  metadata: z.unknown(),
  createdAt: z.string(),
  payloadHash: hashSchema,
  prevHash: hashSchema,
  eventHash: hashSchema,
});
