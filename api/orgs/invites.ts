import { FairleadError } from '../../domain/errors.ts';
import { INVITE_PREFIXES } from '../../domain/orgs/invite-token.ts';
import type { InviteRecord, OrgRecord } from '../../domain/orgs/org.ts';
import type { OrgRole } from '../../domain/roles.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import { audit } from '../identity/audit.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { noteInvite } from '../identity/login/note-invite.ts';
import { requireOrgMail } from '../identity/mail/org-quota.ts';
import { queueMail } from '../identity/mail/send-mail.ts';
import { checkRights, type OrgAccess } from './org-access.ts';

const INVITE_DAYS = 7;
const DAY_MS = 86_400_000;

export interface InviteOrder {
  readonly email: string;
  readonly role: OrgRole;
  readonly modules: readonly string[];
  readonly sendEmail: boolean;
}

/**
 * Invites an address into an org (spec 1, "Identity provider"): by mail, or with an `inviteUrl` for whoever passes it on
 * themselves. An open invitation of the same address is replaced. The answer is the same whether there is an account.
 * @throws ROLE_ESCALATION, VALIDATION_FAILED; RATE_LIMITED when the org has sent too much mail
 */
export async function createInvite(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  access: OrgAccess,
  order: InviteOrder,
): Promise<{ invite: InviteRecord; inviteUrl: string | null }> {
  const { org } = access;
  checkRights(access, { roles: [order.role], modules: order.modules });
  if (order.sendEmail) await requireOrgMail(deps, org.slug);
  const token = deps.tokens.create(order.sendEmail ? INVITE_PREFIXES.mailed : INVITE_PREFIXES.handed);
  const createdAt = deps.now();
  const invite: InviteRecord = {
    id: deps.newId('invite'),
    orgId: org.id,
    orgSlug: org.slug,
    email: order.email,
    role: order.role,
    modules: order.modules,
    tokenHash: deps.tokens.hash(token),
    invitedBy: context.caller.name,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + INVITE_DAYS * DAY_MS),
    acceptedAt: null,
    acceptedBy: null,
    finishedAt: null,
    revokedAt: null,
  };
  // Before it is made: the link is in the answer alone, and a new invitation voids the one before.
  await noteInvite(deps, context, 'org.invite_created', invite, { mailed: order.sendEmail });
  await deps.invites.insert(invite);
  const inviteUrl = `${deps.settings.issuer}/invites/accept?token=${token}`;
  if (!order.sendEmail) return { invite, inviteUrl };
  mailInvite(deps, org, invite, inviteUrl);
  return { invite, inviteUrl: null };
}

function mailInvite(deps: IdentityDeps, org: OrgRecord, invite: InviteRecord, link: string): void {
  const { id: subject, email: to, expiresAt } = invite;
  const data = { name: '', link, expiresAt };
  queueMail(deps, { kind: 'invite', to }, async () => {
    const user = await deps.users.findByEmail(to);
    return { client: null, org, user, subject, data };
  });
}

/** @throws NOT_FOUND for one that is not open, or another org's. */
export async function revokeInvite(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  org: OrgRecord,
  inviteId: string,
): Promise<void> {
  const notOpen = () => new FairleadError('NOT_FOUND', 'There is no such open invitation');
  const open = await deps.invites.listOpen(org.id, deps.now());
  if (!open.some(({ id }) => id === inviteId)) throw notOpen();
  await audit(deps, context, {
    type: 'org.invite_revoked',
    actor: context.caller.name,
    subject: inviteId,
    orgSlug: org.slug,
  });
  if (!(await deps.invites.revoke(inviteId, org.id, deps.now()))) throw notOpen();
}
