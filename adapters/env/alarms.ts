import { z } from 'zod';
import { mailSection } from './identity.ts';

/** Who is told what an operator has to look at, and how. */
export const alarmsSection = {
  ...mailSection,
  /** Where alarms go; without it, or without a mail server, they are lines of the log alone. */
  PLATFORM_ALERT_EMAIL: z.email().optional(),
};
