import type { AuditEvent } from '../../../domain/audit/audit-event.ts';
import { NO_WHITE_LABEL } from '../../../domain/branding/white-label.ts';
import type {
  AuthorizationCode,
  DeviceAuthorization,
  GrantRecord,
  SessionRecord,
} from '../../../domain/identity/login.ts';
import type { OneTimeLink } from '../../../domain/identity/one-time-link.ts';
import type { Revocation } from '../../../domain/identity/revocation.ts';
import type { SigningKey } from '../../../domain/identity/signing-key.ts';
import type { Passkey, TotpFactor, UserRecord } from '../../../domain/identity/user.ts';
import type { ClientRecord, ClientSecret } from '../../../domain/oauth-clients/client.ts';
import type { InviteRecord, Membership, OrgGrant, OrgRecord } from '../../../domain/orgs/org.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';

/** Now, not a fixed day: a real server deletes by its own clock what has expired. */
const START = Math.floor(Date.now() / 1000) * 1000;

/** A moment so many seconds after the records were made. */
export const at = (seconds: number): Date => new Date(START + seconds * 1000);

/** Seconds after which the records of this file expire. */
export const LIFE_SECONDS = 3_600;

const made = { createdAt: at(0), updatedAt: at(0) };
const origin = { address: '192.0.2.1', userAgent: 'test' };
const expiring = { createdAt: at(0), expiresAt: at(LIFE_SECONDS) };
const sealed = { keyId: '01234567', sealed: 'c2VhbGVk' };

export function userRecord(changes: Partial<UserRecord> & { id: string }): UserRecord {
  return {
    email: `${changes.id}@example.test`,
    emailVerified: true,
    firstName: 'Ada',
    lastName: 'Lovelace',
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
    ...made,
    ...changes,
  };
}

export function totpFactor(changes: Partial<TotpFactor> = {}): TotpFactor {
  return { secret: sealed, confirmedAt: at(0), lastStep: null, since: at(0), ...changes };
}

export function passkey(credentialId: string, changes: Partial<Passkey> = {}): Passkey {
  const fields = { publicKey: 'cG9z', counter: 0, transports: ['internal'], name: 'phone' };
  return { credentialId, ...fields, createdAt: at(0), lastUsedAt: null, since: at(0), ...changes };
}

export function sessionRecord(changes: Partial<SessionRecord> & { id: string }): SessionRecord {
  return {
    userId: 'usr_1',
    secretHash: `hash of ${changes.id}`,
    methods: ['pwd'],
    authenticatedAt: at(0),
    ...origin,
    lastSeenAt: at(0),
    ...expiring,
    revokedAt: null,
    ...changes,
  };
}

export function grantRecord(changes: Partial<GrantRecord> & { id: string }): GrantRecord {
  return {
    userId: 'usr_1',
    clientId: 'shop-prod',
    sessionId: null,
    origin: 'oauth',
    offline: false,
    scopes: ['openid'],
    audience: ['shop-prod'],
    methods: ['pwd', 'otp', 'mfa'],
    authenticatedAt: at(0),
    generation: 1,
    lastReply: null,
    ...origin,
    lastUsedAt: at(0),
    ...expiring,
    revokedAt: null,
    ...changes,
  };
}

export function authorizationCode(codeHash: string, changes: Partial<AuthorizationCode> = {}): AuthorizationCode {
  return {
    codeHash,
    clientId: 'shop-prod',
    redirectUri: 'https://shop.example.test/api/auth/callback',
    userId: 'usr_1',
    sessionId: 'ses_1',
    scopes: ['openid'],
    audience: [],
    nonce: 'n',
    codeChallenge: 'c',
    methods: ['pwd'],
    authenticatedAt: at(0),
    expiresAt: at(60),
    redeemedFor: null,
    ...changes,
  };
}

export function deviceAuthorization(
  changes: Partial<DeviceAuthorization> & { deviceCodeHash: string; userCode: string },
): DeviceAuthorization {
  return {
    clientId: 'fairlead-cli',
    scopes: ['openid'],
    audience: [],
    status: 'pending',
    approval: null,
    intervalSeconds: 5,
    lastPolledAt: null,
    redeemedFor: null,
    address: '192.0.2.1',
    ...expiring,
    ...changes,
  };
}

export function oneTimeLink(tokenHash: string, changes: Partial<OneTimeLink> = {}): OneTimeLink {
  return {
    tokenHash,
    purpose: 'magic_link',
    userId: 'usr_1',
    email: 'ada@example.test',
    passwordVersion: 0,
    clientId: null,
    handed: false,
    returnTo: '/account',
    ...expiring,
    consumedAt: null,
    ...changes,
  };
}

export function revocation(changes: Partial<Revocation> & { value: string }): Revocation {
  return { kind: 'token', issuedUntil: at(0), revokedAt: at(0), expiresAt: at(LIFE_SECONDS), ...changes };
}

export function signingKey(id: string, changes: Partial<SigningKey> = {}): SigningKey {
  return {
    id,
    state: 'next',
    publicJwk: { kty: 'RSA', n: 'bg', e: 'AQAB' },
    privateKey: sealed,
    createdAt: at(0),
    activatedAt: null,
    retiredAt: null,
    ...changes,
  };
}

export function orgRecord(changes: Partial<OrgRecord> & { id: string; slug: string }): OrgRecord {
  return {
    name: 'Acme',
    platform: false,
    modules: ['billing'],
    whiteLabel: NO_WHITE_LABEL,
    mailTemplates: {},
    policy: { secondFactorRequired: false, sessionHours: null },
    suspendedAt: null,
    ...made,
    ...changes,
  };
}

export function membership(userId: string, orgId: string, changes: Partial<Membership> = {}): Membership {
  return {
    userId,
    orgId,
    orgSlug: orgId.toLowerCase(),
    roles: ['member'],
    modules: [],
    suspendedAt: null,
    ...made,
    ...changes,
  };
}

export function inviteRecord(changes: Partial<InviteRecord> & { id: string; orgId: string }): InviteRecord {
  return {
    orgSlug: changes.orgId.toLowerCase(),
    email: 'ada@example.test',
    role: 'member',
    modules: ['billing'],
    tokenHash: `hash of ${changes.id}`,
    invitedBy: 'usr_admin',
    ...expiring,
    acceptedAt: null,
    acceptedBy: null,
    finishedAt: null,
    revokedAt: null,
    ...changes,
  };
}

export function orgGrant(clientId: string, orgSlug: string, changes: Partial<OrgGrant> = {}): OrgGrant {
  return { clientId, orgSlug, grant: 'org:manage', approvedBy: 'usr_admin', approvedAt: at(0), ...changes };
}

export function clientRecord(changes: Partial<ClientRecord> & { clientId: string }): ClientRecord {
  return {
    name: 'Shop',
    description: '',
    orgSlug: 'acme',
    clientType: 'confidential',
    redirectUris: ['https://shop.example.test/api/auth/callback'],
    postLogoutRedirectUris: [],
    allowedScopes: ['openid', 'profile', 'email'],
    allowedGrantTypes: ['authorization_code', 'refresh_token'],
    trustedClient: false,
    autoApproveScopes: false,
    headlessEnabled: false,
    selfServiceEmail: false,
    passportConfig: NO_PASSPORT,
    trustedInviteSignup: false,
    signIn: 'anyone',
    signInEpoch: 0,
    llmAccessEnabled: false,
    whiteLabel: NO_WHITE_LABEL,
    mailTemplates: {},
    customDomains: [],
    accessTokenTtlSeconds: 3_600,
    refreshTokenTtlSeconds: 86_400,
    defaultAudience: [],
    service: null,
    environment: null,
    secrets: [],
    addedEntries: [],
    sharingRevision: 0,
    createdBy: 'usr_admin',
    ...made,
    ...changes,
  };
}

export function clientSecret(id: string, changes: Partial<ClientSecret> = {}): ClientSecret {
  return { id, hash: `hash of ${id}`, issuedFor: null, addedBy: null, createdAt: at(0), lastUsedAt: null, ...changes };
}

export function auditEvent(changes: Partial<AuditEvent> & { id: string }): AuditEvent {
  return {
    type: 'user.login_failed',
    actor: 'anonymous',
    subject: 'usr_1',
    orgSlug: null,
    data: {},
    requestId: 'req_1',
    address: '192.0.2.1',
    time: at(0),
    ...changes,
  };
}
