import type { z } from 'zod';
import type { SessionRecord } from '../../../domain/identity/login.ts';
import type { sessionViewSchema, userViewSchema } from '../../../domain/identity/schema.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';

/** Records as replies show them: nothing that would help to be that person. */

export function userView(user: UserRecord): z.input<typeof userViewSchema> {
  const { id, email, emailVerified, firstName, lastName, avatar, platformRoles, primaryOrg } = user;
  return {
    id,
    email,
    emailVerified,
    firstName,
    lastName,
    avatar,
    platformRoles: [...platformRoles],
    primaryOrg,
    suspendedAt: user.suspendedAt?.toISOString() ?? null,
    createdAt: user.createdAt.toISOString(),
  };
}

export function sessionView(session: SessionRecord): z.input<typeof sessionViewSchema> {
  const { id, methods, address, userAgent } = session;
  return {
    id,
    methods: [...methods],
    address,
    userAgent,
    createdAt: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}
