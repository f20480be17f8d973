import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  askedByDeploy,
  askedByPerson,
  blockOf,
  decided,
  GRANT_DECISIONS,
  GRANT_STATUSES,
} from '../../../domain/grants/grant.ts';
import { grantRecord } from '../../ports/records.ts';

const AT = new Date('2026-03-01T00:00:00Z');
const READ = ['notes:read'];
const BOTH = ['notes:read', 'notes:write'];

describe('a grant', () => {
  it('lets a build go on when it is approved with every scope, and says otherwise why not', () => {
    const table = [
      ['pending', [], READ, 'pending'],
      ['approved', READ, READ, null],
      ['approved', BOTH, READ, null],
      ['approved', READ, BOTH, 'approved_missing'],
      ['denied', [], READ, 'denied'],
      ['revoked', [], READ, 'revoked'],
    ] as const;
    for (const [status, granted, scopes, block] of table) assert.equal(blockOf({ status, granted }, scopes), block);
  });

  const NEXT: Readonly<Record<string, string>> = {
    'approve pending': 'approved',
    'approve denied': 'approved',
    'approve revoked': 'approved',
    'deny pending': 'denied',
    'revoke approved': 'revoked',
  };
  const AFTER = { approve: 'approved', deny: 'denied', revoke: 'revoked' };

  for (const decision of GRANT_DECISIONS) {
    for (const status of GRANT_STATUSES) {
      const next = NEXT[`${decision} ${status}`];
      const grant = grantRecord({ status });
      const decide = () => decided(grant, { decision, by: 'usr_ada', revision: null }, AT);
      if (status === AFTER[decision]) {
        it(`${decision} of one that is ${status}: a repeated decision changes nothing`, () => {
          assert.equal(decide(), grant);
        });
      } else if (next === undefined) {
        it(`${decision} of one that is ${status}: refused`, () => {
          assert.throws(decide, { code: 'CONFLICT' });
        });
      } else {
        it(`${decision} of one that is ${status}: ${next}, by whom and when`, () => {
          const isApproved = next === 'approved';
          const given = { granted: isApproved ? grant.scopes : [], wasApproved: isApproved };
          const change = { status: next, ...given, revision: 2, decidedBy: 'usr_ada', decidedAt: AT };
          assert.deepEqual(decide(), { ...grant, ...change });
        });
      }
    }
  }

  it('is approved for what the approver saw: a list that changed meanwhile is refused', () => {
    const wider = askedByDeploy(grantRecord({ scopes: READ }), { scopes: BOTH, by: 'usr_eve' }, AT);
    assert.deepEqual([wider.revision, wider.scopes], [2, BOTH]);
    assert.throws(() => decided(wider, { decision: 'approve', by: 'usr_ada', revision: 1 }, AT), { code: 'CONFLICT' });
    assert.deepEqual(decided(wider, { decision: 'approve', by: 'usr_ada', revision: 2 }, AT).granted, BOTH);
  });

  it('is not asked for again by a deploy once it is decided', () => {
    for (const status of ['approved', 'denied', 'revoked'] as const) {
      const grant = grantRecord({ status, granted: status === 'approved' ? READ : [] });
      assert.equal(askedByDeploy(grant, { scopes: BOTH, by: 'usr_eve' }, AT), grant);
    }
  });

  it('is asked for anew by a person after it was revoked, and not while it is denied or approved for less', () => {
    const revoked = grantRecord({ status: 'revoked', decidedBy: 'usr_ada', decidedAt: AT });
    const again = askedByPerson(revoked, { scopes: BOTH, by: 'usr_eve' }, AT);
    assert.deepEqual([again.status, again.scopes, again.granted, again.revision], ['pending', BOTH, [], 2]);
    assert.deepEqual([again.decidedBy, again.decidedAt], [null, null], 'nobody has decided about it');
    const ask = (status: 'denied' | 'approved') =>
      askedByPerson(grantRecord({ status, granted: READ }), { scopes: BOTH, by: 'usr_eve' }, AT);
    assert.throws(() => ask('denied'), { code: 'CONFLICT', message: /acme can approve/ });
    assert.throws(() => ask('approved'), { code: 'CONFLICT', message: /has to revoke it first/ });
  });

  it('stays as it is when the same is asked for in another order', () => {
    const grant = grantRecord({ scopes: BOTH });
    assert.equal(askedByDeploy(grant, { scopes: [...BOTH].reverse(), by: 'usr_eve' }, AT), grant);
  });
});
