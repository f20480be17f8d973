import { FairleadError } from '../../domain/errors.ts';
import type { Administrator } from '../../domain/oauth-clients/administration.ts';
import { type Caller, isAdministrator } from '../http/caller.ts';

/**
 * In what capacity a caller administers clients through the builder (spec 1, C): the internal key and super admins may
 * do everything, anyone else what an owner may. A service of the platform's org is its org's service, no more.
 */
export function administratorOf(caller: Caller): Administrator {
  return isAdministrator(caller) ? 'super_admin' : 'owner';
}

/** @throws FORBIDDEN naming the fields and who may set them, unless there are none */
export function refuseFields(refused: readonly string[]): void {
  if (refused.length === 0) return;
  const details = refused.map((field) => ({ field, message: SETTABLE_BY[field] ?? 'needs a platform super admin' }));
  const list = details.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new FairleadError('FORBIDDEN', `You may not set this: ${list}`, { details });
}

const SETTABLE_BY: Readonly<Record<string, string>> = {
  trustedInviteSignup: "only in a platform super admin's own browser session",
  orgSlug: 'must be your own org',
};
