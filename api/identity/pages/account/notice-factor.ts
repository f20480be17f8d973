import { FACTOR_TRIAL_DAYS } from '../../../../domain/identity/second-factors.ts';
import { addSeconds } from '../../../../domain/identity/token-lifetimes.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import type { RouteContext } from '../../../http/define-route.ts';
import type { IdentityDeps } from '../../deps.ts';
import { deviceOf, sendNotice } from '../../mail/send-notice.ts';

/** Tells somebody by mail that a second factor was added, and until when a reset removes it. */
export function noticeFactor(deps: IdentityDeps, context: RouteContext, user: UserRecord, what: string): void {
  const expiresAt = addSeconds(deps.now(), FACTOR_TRIAL_DAYS * 86_400);
  sendNotice(deps, 'second_factor_added', user, { what, path: '/login/forgot', expiresAt, device: deviceOf(context) });
}
