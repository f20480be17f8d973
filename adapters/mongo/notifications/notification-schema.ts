import { z } from 'zod';
import { isNotificationKind, URGENCIES } from '../../../domain/notifications/notification.ts';

const text = z.string();

/** A notification as it is kept. */
export const notificationSchema = z.object({
  id: text,
  kind: text.refine(isNotificationKind),
  org: text.nullable(),
  subject: text,
  text,
  only: z.array(text).optional(),
  isWritten: z.boolean().optional(),
  urgency: z.enum(URGENCIES).optional(),
  data: z.record(text, z.union([text, z.number(), z.boolean(), z.null(), z.array(text)])),
  at: z.date(),
});
