import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MOST_AUTHORIZED_ORGS, type SharingRequest, shared } from '../../../domain/authorized-orgs/sharing.ts';
import { NOT_SHARED, type ServiceSharing } from '../../../domain/catalog/service.ts';
import type { RepoRole } from '../../../domain/repo-role.ts';

const AT = new Date('2026-03-01T10:00:00Z');
let made = 0;
const newId = (): string => {
  made += 1;
  return `soc_${made}`;
};
const authorize = (org: string, repoRole: RepoRole | null = null): SharingRequest => ({
  id: newId(),
  want: 'authorized',
  org,
  repoRole,
  by: 'usr_ada',
});
const deauthorize = (org: string): SharingRequest => ({
  id: newId(),
  want: 'deauthorized',
  org,
  by: 'usr_ada',
});
const after = (sharing: ServiceSharing, request: SharingRequest): ServiceSharing =>
  shared({ name: 'shop', org: 'acme', sharing }, request, AT);
const told = ({ orgs }: ServiceSharing): string[] => orgs.map(({ org, repoRole }) => `${org} ${repoRole}`);

describe('which orgs share a service', () => {
  const one = after(NOT_SHARED, authorize('helpers'));
  const full = Array.from({ length: MOST_AUTHORIZED_ORGS }, (_, index) => authorize(`org-${index}`)).reduce(
    after,
    NOT_SHARED,
  );

  const CHANGES: readonly (readonly [string, ServiceSharing, SharingRequest, string, string[]])[] = [
    ['a new org may write', NOT_SHARED, authorize('helpers'), 'authorized', ['helpers write']],
    ['a new org with a role', NOT_SHARED, authorize('helpers', 'read'), 'authorized', ['helpers read']],
    ['a second one, ordered', one, authorize('agency', 'none'), 'authorized', ['agency none', 'helpers write']],
    ['another role', one, authorize('helpers', 'admin'), 'repo_role_changed', ['helpers admin']],
    ['one that goes', one, deauthorize('helpers'), 'deauthorized', []],
  ];
  for (const [name, sharing, request, kind, expected] of CHANGES) {
    it(name, () => {
      const next = after(sharing, request);
      assert.deepEqual(told(next), expected);
      assert.equal(next.revision, sharing.revision + 1);
      const { id, org } = request;
      const repoRole = next.orgs.find((entry) => entry.org === org)?.repoRole ?? null;
      assert.deepEqual(next.lastChange, { id, kind, org, repoRole, by: 'usr_ada', at: AT });
    });
  }

  it('what is asked again changes nothing, and tells nothing new', () => {
    for (const repeated of [authorize('helpers'), authorize('helpers', 'write')]) {
      assert.equal(after(one, repeated), one);
    }
    const request = deauthorize('helpers');
    const gone = after(one, request);
    assert.equal(after(gone, request), gone, 'an attempt that was not heard of is repeated');
  });

  it('another role keeps since when an org shares it', () => {
    const next = shared({ name: 'shop', org: 'acme', sharing: one }, authorize('helpers', 'read'), new Date());
    assert.deepEqual(next.orgs[0]?.authorizedAt, AT);
  });

  const REFUSED: readonly (readonly [string, ServiceSharing, SharingRequest, string, RegExp])[] = [
    ['the owner itself', NOT_SHARED, authorize('acme'), 'VALIDATION_FAILED', /acme owns shop/],
    ['one org too many', full, authorize('helpers'), 'CONFLICT', /100 is the most: take one out/],
    ['taking out who is not in', one, deauthorize('agency'), 'NOT_FOUND', /agency is not authorized for shop/],
    ['taking out the owner', one, deauthorize('acme'), 'NOT_FOUND', /acme is not authorized/],
  ];
  for (const [name, sharing, request, code, message] of REFUSED) {
    it(`refuses ${name}`, () => assert.throws(() => after(sharing, request), { code, message }));
  }

  it('changes the role of an org also when the list is full', () => {
    assert.equal(after(full, authorize('org-7', 'read')).orgs.length, MOST_AUTHORIZED_ORGS);
  });
});
