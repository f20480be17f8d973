import type { UserRecord } from './user.ts';

export type NewUser = Pick<UserRecord, 'id' | 'email' | 'firstName' | 'lastName'> &
  Partial<Omit<UserRecord, 'passwordVersion' | 'endingLogins' | 'createdAt' | 'updatedAt'>>;

/** A user at their first moment: no roles, no org, no way to sign in, unless `fields` says so. */
export function newUser(fields: NewUser, now: Date): UserRecord {
  return {
    emailVerified: false,
    avatar: null,
    passwordHash: null,
    passwordVersion: 0,
    endingLogins: null,
    platformRoles: [],
    primaryOrg: null,
    suspendedAt: null,
    onboardingPending: null,
    totp: null,
    passkeys: [],
    recoveryCodes: [],
    ...fields,
    createdAt: now,
    updatedAt: now,
  };
}
