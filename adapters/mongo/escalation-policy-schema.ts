import { z } from 'zod';

/** A policy as it is kept, and as an incident keeps it. */
export const escalationPolicySchema = z.object({
  steps: z.array(z.object({ waitMinutes: z.int(), channelIds: z.array(z.string()) })).min(1),
  repeat: z.object({ times: z.int(), waitMinutes: z.int() }).nullable(),
});
