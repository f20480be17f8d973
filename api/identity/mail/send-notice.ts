import type { NoticeKind } from '../../../domain/identity/mail.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { browserName } from '../pages/account/browser-name.ts';
import { queueMail } from './send-mail.ts';

export interface Notice {
  /** What happened, in a few words. */
  readonly what?: string;
  /** Path of ours where the person looks after it. */
  readonly path: string;
  /** Until when that helps. */
  readonly expiresAt: Date;
  /** Where it came from; see {@link deviceOf}. */
  readonly device?: string;
}

/** Tells somebody by mail of a change to their account, after the reply, in the platform's words. */
export function sendNotice(
  deps: IdentityDeps,
  kind: NoticeKind,
  { id, email, firstName }: Pick<UserRecord, 'id' | 'email' | 'firstName'>,
  { path, ...notice }: Notice,
): void {
  const data = { ...notice, name: firstName, link: `${deps.settings.issuer}${path}` };
  queueMail(deps, { kind, to: email }, async () => {
    const user = await deps.users.find(id);
    return user === null ? null : { client: null, org: null, user, subject: id, data };
  });
}

/** A browser and its network address, such as `Firefox on Linux, 203.0.113.9`. */
export function deviceOf({ userAgent, address }: Pick<RouteContext, 'userAgent' | 'address'>): string {
  return `${browserName(userAgent, 'Unknown browser')}, ${address}`;
}
