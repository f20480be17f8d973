import { z } from 'zod';

/** What the command line reads of the identity provider's replies about orgs and people; see replies.ts. */
const text = z.string();
const names = z.array(text).default([]);

export const orgReply = z.looseObject({
  id: text,
  slug: text,
  name: text,
  modules: names,
  whiteLabel: z.looseObject({}).optional(),
  mailTemplates: z.record(text, z.unknown()).optional(),
  policy: z.looseObject({ secondFactorRequired: z.boolean(), sessionHours: z.number().nullable() }).optional(),
  suspendedAt: text.nullish(),
  createdAt: text.nullish(),
});

export const memberReply = z.looseObject({
  userId: text,
  email: text,
  firstName: text.default(''),
  lastName: text.default(''),
  roles: names,
  modules: names,
  suspendedAt: text.nullish(),
  createdAt: text.nullish(),
});

export const inviteReply = z.looseObject({
  id: text,
  email: text,
  role: text,
  modules: names,
  invitedBy: text.nullish(),
  expiresAt: text,
  inviteUrl: text.nullish(),
  outboxUrl: text.nullish(),
});

export const grantReply = z.looseObject({ clientId: text, orgSlug: text, approvedBy: text, approvedAt: text });

export const userReply = z.looseObject({
  id: text,
  email: text,
  emailVerified: z.boolean().optional(),
  firstName: text.default(''),
  lastName: text.default(''),
  platformRoles: names,
  primaryOrg: text.nullish(),
  suspendedAt: text.nullish(),
});

export const loginsReply = z.looseObject({
  sessions: z.array(
    z.looseObject({ id: text, address: text, userAgent: text.default(''), createdAt: text, lastSeenAt: text }),
  ),
  applications: z.array(z.looseObject({ id: text, clientId: text, address: text, createdAt: text, lastUsedAt: text })),
});

export const orgEventReply = z.looseObject({
  id: text,
  type: text,
  actor: text,
  subject: text,
  data: z.record(text, z.unknown()).default({}),
  time: text,
});

export const meReply = userReply.extend({
  orgs: z.array(z.looseObject({ orgSlug: text, orgName: text, roles: names })).default([]),
});

export type OrgReply = z.infer<typeof orgReply>;
export type MemberReply = z.infer<typeof memberReply>;
export type InviteReply = z.infer<typeof inviteReply>;
export type UserReply = z.infer<typeof userReply>;

/** What people call somebody; empty when they gave no name. */
export const nameOf = ({ firstName, lastName }: { readonly firstName: string; readonly lastName: string }): string =>
  `${firstName} ${lastName}`.trim();
