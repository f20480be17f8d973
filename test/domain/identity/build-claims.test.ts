import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import {
  idTokenClaims,
  personClaims,
  profileClaims,
  serviceClaims,
  type TokenFrame,
  type TokenLogin,
} from '../../../domain/identity/build-claims.ts';
import { accessTokenClaimsSchema } from '../../../domain/identity/claims.ts';
import { newUser } from '../../../domain/identity/new-user.ts';

const AT = new Date('2026-01-01T00:00:00.900Z');
const SECONDS = Date.UTC(2026, 0, 1) / 1000;

const FRAME: TokenFrame = {
  issuer: 'https://id.example',
  tokenId: 'tok_1',
  audience: ['shop-prod'],
  issuedAt: AT,
  expiresAt: new Date(AT.getTime() + 3_600_000),
  scopes: ['openid', 'email'],
};

const LOGIN: TokenLogin = {
  grantId: 'grt_1',
  sessionId: 'ses_1',
  clientId: 'shop-prod',
  methods: ['pwd', 'otp', 'mfa'],
  authenticatedAt: AT,
};

const user = newUser(
  {
    id: 'usr_1',
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    emailVerified: true,
    passwordHash: null,
    platformRoles: ['super_admin'],
    primaryOrg: 'acme',
  },
  AT,
);

describe('claims', () => {
  it('of a person keep platform roles and org roles apart, and round times down', () => {
    const claims = personClaims(FRAME, { user, org: { slug: 'acme', roles: ['admin'] } }, LOGIN);
    assert.deepEqual(claims.roles, ['super_admin']);
    assert.deepEqual(claims.orgRoles, ['admin']);
    assert.deepEqual([claims.iat, claims.exp, claims.auth_time], [SECONDS, SECONDS + 3_600, SECONDS]);
    assert.deepEqual(accessTokenClaimsSchema.parse(claims), claims);
  });

  it('of a person outside all orgs name none; without a session no sid', () => {
    const claims = personClaims(FRAME, { user, org: null }, { ...LOGIN, sessionId: null });
    assert.ok(!('orgSlug' in claims) && !('sid' in claims) && !('act' in claims));
  });

  it('of a service are those of nobody', () => {
    const claims = serviceClaims(FRAME, { clientId: 'shop-prod', orgSlug: 'acme' });
    assert.deepEqual(Object.keys(claims).sort(), [
      ...['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'orgSlug', 'scope', 'sub', 'token_type'],
    ]);
  });

  it('have one audience as a string, several as a list, and never none', () => {
    const of = (audience: string[]) => serviceClaims({ ...FRAME, audience }, { clientId: 'x', orgSlug: 'y' }).aud;
    assert.equal(of(['a']), 'a');
    assert.deepEqual(of(['a', 'b']), ['a', 'b']);
    assert.throws(
      () => of([]),
      (error) => error instanceof FairleadError && error.code === 'INTERNAL',
    );
  });

  it('about the person go as far as the scopes do', () => {
    assert.deepEqual(profileClaims(user, ['openid']), {});
    assert.deepEqual(profileClaims(user, ['email']), { email: 'ada@example.com', email_verified: true });
    assert.deepEqual(profileClaims({ ...user, lastName: '' }, ['profile']), { name: 'Ada', given_name: 'Ada' });
  });

  it('of an ID token are for the client, without roles', () => {
    const claims = idTokenClaims(FRAME, user, LOGIN, { nonce: 'n', accessTokenHash: 'h' });
    assert.deepEqual([claims.aud, claims.azp, claims.nonce, claims.at_hash], ['shop-prod', 'shop-prod', 'n', 'h']);
    assert.ok(!('roles' in claims) && !('scope' in claims) && !('client_id' in claims));
  });
});
