import { z } from 'zod';

/** The reply of the token endpoint (RFC 6749, 5.1; RFC 8693, 2.2.1). */
export const tokenReplySchema = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  /** Seconds. */
  expires_in: z.int().min(0),
  scope: z.string(),
  refresh_token: z.string().optional(),
  id_token: z.string().optional(),
  /** On exchanged tokens alone. */
  issued_token_type: z.string().optional(),
});

export type TokenReply = z.infer<typeof tokenReplySchema>;
