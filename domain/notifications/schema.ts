import { z } from 'zod';

/** `POST /api/alerts/channels` */
export const newChannelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('mail'), to: z.email().max(254) }),
  z.strictObject({
    kind: z.literal('webhook'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .refine((text) => URL.parse(text)?.username === '', 'an address without a user name'),
  }),
]);
