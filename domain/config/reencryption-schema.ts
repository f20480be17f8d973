import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { MAX_UNREADABLE_SHOWN } from './messages.ts';

/** Reply of GET and POST /config/reencryption. */
export const reencryptionSchema = z.object({
  status: z.enum(['none', 'running', 'completed', 'failed']).describe('none: there was no run yet'),
  checked: z.int(),
  resealed: z.int().describe('Secrets that had been sealed with an earlier key'),
  unreadable: z.int().describe('Secrets that no key of the installation opens: set them anew'),
  unreadableSecrets: z
    .array(z.object({ service: z.string(), environment: environmentSchema.nullable(), name: z.string() }))
    .describe(`The first ${MAX_UNREADABLE_SHOWN} of them`),
  earlierKeyInUse: z
    .boolean()
    .describe(
      'Some were sealed with an earlier key while it ran: a process without the current key in front runs still',
    ),
  problem: z.string().nullable().describe('Why it does not go on, while it tries again; null as a rule'),
});
