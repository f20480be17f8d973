import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { PersonDirectory } from '../../domain/properties/people.ts';
import { createIdpCall, type IdpConnection } from './idp-call.ts';

const personSchema = z.looseObject({ id: z.string(), email: z.string(), suspendedAt: z.string().nullable() });

/** Who is there, by the identity provider's own route: nothing of it is remembered. */
export function createPersonDirectory(connection: IdpConnection): PersonDirectory {
  const call = createIdpCall(connection);
  return {
    async findActive(userId) {
      try {
        const path = `/api/v2/users/${encodeURIComponent(userId)}`;
        const { id, email, suspendedAt } = await call(personSchema, { method: 'GET', path });
        return suspendedAt === null ? { userId: id, email } : null;
      } catch (error) {
        if (error instanceof FairleadError && error.code === 'USER_NOT_FOUND') return null;
        throw error;
      }
    },
  };
}
