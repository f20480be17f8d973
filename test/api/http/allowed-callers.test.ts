import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ADMINISTRATORS,
  type AllowedCallers,
  authorize,
  describeCallers,
  PEOPLE,
  PLATFORM,
} from '../../../api/http/allowed-callers.ts';
import type { Caller, PersonCaller, TokenServiceCaller } from '../../../api/http/caller.ts';
import { FairleadError } from '../../../domain/errors.ts';

const person: PersonCaller = {
  kind: 'user',
  via: 'token',
  userId: 'usr_1',
  email: 'ada@example.com',
  org: 'acme',
  name: 'usr_1',
  role: 'member',
  clientId: 'fairlead-cli',
};
const superAdmin: PersonCaller = { ...person, kind: 'platform-admin' };
const service: TokenServiceCaller = { kind: 'service', clientId: 'shop', org: 'acme', name: 'shop', scopes: [] };
const platformService: TokenServiceCaller = { ...service, kind: 'platform-service', org: 'platform' };
const internal: Caller = { kind: 'internal', org: 'platform', name: 'internal' };

/** The code that a caller is refused with; null for one who is let in. */
function codeFor(callers: AllowedCallers, caller: Caller | null, refusal?: () => FairleadError): string | null {
  try {
    authorize(refusal === undefined ? { callers } : { callers, refusal }, caller);
    return null;
  } catch (error) {
    assert.ok(error instanceof FairleadError);
    return error.code;
  }
}

describe('who a row lets in', () => {
  it('is nobody whose kind it does not name, however much they may do elsewhere', () => {
    const rows: readonly (readonly [AllowedCallers, Caller, string | null])[] = [
      [{ internal: true }, internal, null],
      [{ internal: true }, superAdmin, 'FORBIDDEN'],
      [{ user: true }, superAdmin, 'FORBIDDEN'],
      [{ service: true }, platformService, 'FORBIDDEN'],
      [ADMINISTRATORS, superAdmin, null],
      [ADMINISTRATORS, platformService, 'FORBIDDEN'],
      [ADMINISTRATORS, person, 'FORBIDDEN'],
      [PLATFORM, platformService, null],
      [PLATFORM, service, 'FORBIDDEN'],
      [PEOPLE, person, null],
      [PEOPLE, internal, 'FORBIDDEN'],
    ];
    for (const [row, caller, code] of rows) assert.equal(codeFor(row, caller), code, JSON.stringify([row, caller]));
    for (const [row] of rows) assert.equal(codeFor(row, null), 'UNAUTHORIZED');
  });

  it('is people with the role it asks for, or a higher one', () => {
    const row = { user: 'member' } as const;
    const roles = [null, 'viewer', 'member', 'admin'] as const;
    const codes = roles.map((role) => codeFor(row, { ...person, kind: 'user', role }));
    assert.deepEqual(codes, ['FORBIDDEN', 'FORBIDDEN', null, null]);
  });

  it('is services of an org with one of its scopes, and no scope stands for another', () => {
    const row: AllowedCallers = { service: { scopes: ['builder:read', 'builder:write'] } };
    const withScopes = (...scopes: string[]): Caller => ({ ...service, scopes });
    assert.equal(codeFor(row, withScopes('other', 'builder:write')), null);
    for (const caller of [withScopes(), withScopes('builder', 'builder:readx', '*')]) {
      assert.equal(codeFor(row, caller), 'FORBIDDEN');
    }
    assert.equal(codeFor(row, { ...service, org: '', scopes: ['builder:read'] }), 'FORBIDDEN');
  });

  it('is a super admin in front of their own browser, where it says so', () => {
    const row = { 'platform-admin': 'own-session' } as const;
    assert.equal(codeFor(row, { ...superAdmin, via: 'session' }), null);
    assert.equal(codeFor(row, superAdmin), 'FORBIDDEN');
    assert.equal(codeFor(row, { ...person, via: 'session' }), 'FORBIDDEN');
  });

  it('hides what is there from kinds that it does not name, and tells the others what they lack', () => {
    const hidden = () => new FairleadError('ORG_NOT_FOUND', 'There is no such org');
    const row = { user: 'admin' } as const;
    assert.equal(codeFor(row, service, hidden), 'ORG_NOT_FOUND');
    assert.equal(codeFor(row, person, hidden), 'FORBIDDEN');
    assert.equal(codeFor(row, null, hidden), 'UNAUTHORIZED');
  });

  it('tells those whom it names in its own words what they lack, and nobody else', () => {
    const row = { user: true, service: { scopes: ['a:b'] } } as const;
    const lack = ({ org }: Caller) =>
      org === 'acme' ? new FairleadError('FORBIDDEN', 'This is for the platform') : null;
    assert.throws(() => authorize({ callers: row, lack }, service), { message: 'This is for the platform' });
    assert.throws(() => authorize({ callers: row, lack }, { ...service, org: 'platform' }), { message: /scope a:b/ });
    assert.throws(() => authorize({ callers: row, lack }, internal), { message: /^This is for people/ });
    authorize({ callers: row, lack }, person);
  });

  it('is said in words', () => {
    assert.equal(describeCallers('public'), 'anyone');
    assert.equal(describeCallers(ADMINISTRATORS), 'the internal key and super admins');
    assert.equal(
      describeCallers({ ...PLATFORM, user: 'member', service: { scopes: ['a:b', 'a:c'] } }),
      'the internal key, super admins, services of the platform, people with the role member or higher in the org ' +
        'and services with the scope a:b or a:c',
    );
    assert.equal(describeCallers({ 'platform-admin': 'own-session' }), 'super admins in their own browser session');
  });
});
