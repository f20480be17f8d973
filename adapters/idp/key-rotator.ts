import { z } from 'zod';
import type { KeyRotator } from '../../domain/identity/messages.ts';
import type { IdpCall } from './idp-call.ts';

const outcomeSchema = z.object({
  activated: z.string().nullable(),
  retired: z.string().nullable(),
  removed: z.array(z.string()),
  created: z.array(z.string()),
});

/** Key rotation by the provider's own route (`POST /api/admin/keys/rotate`). */
export function createKeyRotator(call: IdpCall): KeyRotator {
  return {
    rotateDue: (signal) => call(outcomeSchema, { method: 'POST', path: '/api/admin/keys/rotate', body: {}, signal }),
  };
}
