import { z } from 'zod';
import { isNotificationKind } from '../../../domain/notifications/notification.ts';

const text = z.string();

/** A notification as it is kept. */
export const notificationSchema = z.object({
  id: text,
  kind: text.refine(isNotificationKind),
  org: text.nullable(),
  subject: text,
  text,
  isWritten: z.boolean().optional(),
  data: z.record(text, z.union([text, z.number(), z.boolean(), z.null(), z.array(text)])),
  at: z.date(),
});
