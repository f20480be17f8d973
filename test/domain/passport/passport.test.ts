import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newUser } from '../../../domain/identity/new-user.ts';
import { newMembership, newOrg } from '../../../domain/orgs/new-org.ts';
import { personPassport, saysTheSame } from '../../../domain/passport/passport.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import type { OrgRole } from '../../../domain/roles.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const user = {
  ...newUser(
    {
      id: 'usr_1',
      email: 'ann@acme.example',
      firstName: 'Ann',
      lastName: 'Lee',
      emailVerified: true,
      passwordHash: null,
      platformRoles: [],
      primaryOrg: 'beta',
    },
    at(0),
  ),
};
const org = (slug: string) =>
  newOrg({ id: `ORG-${slug.toUpperCase()}`, slug, name: `The ${slug}`, modules: [] }, at(0));
const acme = org('acme');
const beta = org('beta');
const member = (of: typeof acme, roles: OrgRole[], modules: string[], minute = 1) =>
  newMembership('usr_1', of, { roles, modules }, at(minute));
const client = { passportConfig: NO_PASSPORT };
const frame = { client, scopes: ['openid', 'orders:read'], connectedServices: ['fairlead-cli'], at: at(9) };
const memberships = [member(acme, ['admin'], ['seo', 'shop'], 1), member(beta, ['viewer'], ['shop', 'mail'], 2)];
const orgs = [acme, beta];

it('shows the primary org with its roles, every org with its own, and the modules of all', () => {
  const passport = personPassport({ user, memberships, orgs }, frame);
  assert.deepEqual(passport, {
    identityId: 'usr_1',
    email: 'ann@acme.example',
    firstName: 'Ann',
    lastName: 'Lee',
    displayName: 'Ann Lee',
    userType: 'user',
    roles: ['viewer'],
    orgSlug: 'beta',
    orgName: 'The beta',
    orgId: 'ORG-BETA',
    orgs: [
      { orgSlug: 'acme', orgId: 'ORG-ACME', orgName: 'The acme', roles: ['admin'], modules: ['seo', 'shop'] },
      { orgSlug: 'beta', orgId: 'ORG-BETA', orgName: 'The beta', roles: ['viewer'], modules: ['shop', 'mail'] },
    ],
    modules: ['seo', 'shop', 'mail'],
    permissions: { scopes: ['openid', 'orders:read'] },
    issuedAt: '2026-01-01T00:09:00.000Z',
    connectedServices: ['fairlead-cli'],
  });
});

it('has branding only where the client includes it, and never calls it verified', () => {
  const whiteLabel = { emailFromName: null, logoUrl: 'https://beta.example/l.svg', primaryColor: null };
  const branded = { ...frame, client: { passportConfig: { ...NO_PASSPORT, includeBranding: true } } };
  const person = { user, memberships, orgs: [acme, { ...beta, whiteLabel }] };
  assert.deepEqual(personPassport(person, branded)?.branding, {
    displayName: 'The beta',
    logoUrl: 'https://beta.example/l.svg',
    primaryColor: '#0F172A',
    verified: false,
    whiteLabelApproved: false,
  });
  assert.ok(!('branding' in (personPassport(person, frame) ?? {})));
});

it('leaves suspended orgs and memberships out, and the oldest org stands in for a primary one that is', () => {
  const suspended = { user, memberships, orgs: [acme, { ...beta, suspendedAt: at(5) }] };
  assert.deepEqual(
    [personPassport(suspended, frame)?.orgSlug, personPassport(suspended, frame)?.modules],
    ['acme', ['seo', 'shop']],
  );
  const [first, second] = memberships;
  assert.ok(first !== undefined && second !== undefined);
  const out = { user, memberships: [{ ...first, suspendedAt: at(5) }, second], orgs };
  assert.deepEqual(
    personPassport(out, frame)?.orgs.map(({ orgSlug }) => orgSlug),
    ['beta'],
  );
});

it('there is none for a suspended person, nor for one whose every org is; one in no org has theirs', () => {
  assert.equal(personPassport({ user: { ...user, suspendedAt: at(5) }, memberships, orgs }, frame), null);
  assert.equal(
    personPassport({ user, memberships, orgs: orgs.map((one) => ({ ...one, suspendedAt: at(5) })) }, frame),
    null,
  );
  const alone = personPassport({ user, memberships: [], orgs: [] }, frame);
  assert.deepEqual([alone?.orgSlug, alone?.orgId, alone?.orgs, alone?.roles], ['', '', [], []]);
});

it('a platform admin is one by platform role, and an org’s admin is not', () => {
  const root = { ...user, platformRoles: ['super_admin' as const] };
  assert.equal(personPassport({ user: root, memberships: [], orgs: [] }, frame)?.userType, 'admin');
  assert.equal(personPassport({ user: { ...user, primaryOrg: 'acme' }, memberships, orgs }, frame)?.userType, 'user');
});

it('two say the same but for their time, and differ by a role, an org or a name', () => {
  const passport = personPassport({ user, memberships, orgs }, frame);
  const later = personPassport({ user, memberships, orgs }, { ...frame, at: at(10), connectedServices: [] });
  assert.ok(passport !== null && later !== null && saysTheSame(passport, later));
  const promoted = personPassport({ user, memberships: [member(acme, ['viewer'], [])], orgs }, frame);
  const renamed = personPassport({ user: { ...user, firstName: 'Anne' }, memberships, orgs }, frame);
  assert.ok(promoted !== null && renamed !== null);
  assert.ok(!saysTheSame(passport, promoted) && !saysTheSame(passport, renamed));
});
