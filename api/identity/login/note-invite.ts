import type { InviteRecord } from '../../../domain/orgs/org.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';

/** Keeps an audit event about an invitation. `actor` is the caller, unless somebody else is named. @throws UNAVAILABLE */
export function noteInvite(
  deps: IdentityDeps,
  context: RouteContext,
  type: string,
  invite: InviteRecord,
  data: Readonly<Record<string, string | boolean>> = {},
  actor = context.caller?.name ?? 'internal',
): Promise<void> {
  const { id: subject, orgSlug, email, role, modules } = invite;
  // Each of these happens once to an invitation, however often what it belongs to is begun.
  const id = `${type}/${subject}`;
  return audit(deps, context, { id, type, actor, subject, orgSlug, data: { email, role, modules, ...data } });
}
