import type { z } from 'zod';
import type { KeptEvent } from '../../domain/audit/ports.ts';
import type { InviteRecord, OrgGrant, OrgRecord } from '../../domain/orgs/org.ts';
import type {
  inviteViewSchema,
  memberViewSchema,
  orgEventViewSchema,
  orgGrantViewSchema,
  orgViewSchema,
} from '../../domain/orgs/schema.ts';
import type { Member } from './members.ts';

/** Records as replies show them. */

export function orgView(org: OrgRecord): z.input<typeof orgViewSchema> {
  const { id, slug, name, platform, modules, whiteLabel, mailTemplates, policy } = org;
  return {
    id,
    slug,
    name,
    platform,
    modules: [...modules],
    whiteLabel,
    mailTemplates,
    policy,
    suspendedAt: org.suspendedAt?.toISOString() ?? null,
    createdAt: org.createdAt.toISOString(),
  };
}

export function memberView({ user, membership }: Member): z.input<typeof memberViewSchema> {
  return {
    userId: user.id,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    roles: [...membership.roles],
    modules: [...membership.modules],
    suspendedAt: membership.suspendedAt?.toISOString() ?? null,
    createdAt: membership.createdAt.toISOString(),
  };
}

export function inviteView(invite: InviteRecord): z.input<typeof inviteViewSchema> {
  const { id, email, role, modules, invitedBy } = invite;
  return {
    id,
    email,
    role,
    modules: [...modules],
    invitedBy,
    createdAt: invite.createdAt.toISOString(),
    expiresAt: invite.expiresAt.toISOString(),
  };
}

export function orgGrantView({ approvedAt, ...grant }: OrgGrant): z.input<typeof orgGrantViewSchema> {
  return { ...grant, approvedAt: approvedAt.toISOString() };
}

export function orgEventView({ id, type, actor, subject, data, requestId, time }: KeptEvent) {
  const values = Object.entries(data).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value] as const);
  const view: z.input<typeof orgEventViewSchema> = {
    ...{ id, type, actor, subject, requestId },
    data: Object.fromEntries(values) as z.input<typeof orgEventViewSchema>['data'],
    time: time.toISOString(),
  };
  return view;
}
