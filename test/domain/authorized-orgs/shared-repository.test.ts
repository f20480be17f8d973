import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repositoryRole, sharedRepository } from '../../../domain/authorized-orgs/shared-repository.ts';
import type { RepoRole } from '../../../domain/repo-role.ts';

const HOST = 'https://git.example/code/';

describe('the repository that orgs share', () => {
  const TABLE: readonly (readonly [string | null, string | null])[] = [
    ['https://git.example/code/acme/shop', 'acme/shop'],
    ['https://git.example/code/acme/shop.git', 'acme/shop'],
    ['https://git.example/code/Acme/Shop.js/', 'acme/Shop.js'],
    [null, null],
    // Of another org, whose owner asked for nothing.
    ['https://git.example/code/victim/private', null],
    ['https://git.example/code/acme/../victim/private', null],
    ['https://git.example/code/acme/%2e%2e/victim', null],
    ['https://git.example/code/acme%2fshop/x', null],
    ['https://git.example/code/acme/shop/tree', null],
    ['https://git.example/code/acme', null],
    ['https://git.example/code/acme/', null],
    ['https://git.example/code/acme/.git', null],
    ['https://git.example/acme/shop', null],
    ['https://git.example:8443/code/acme/shop', null],
    ['http://git.example/code/acme/shop', null],
    ['https://github.com/acme/shop', null],
    ['https://git.example.evil.example/code/acme/shop', null],
    ['/srv/acme/shop', null],
    ['git@git.example:acme/shop.git', null],
  ];
  for (const [gitUrl, expected] of TABLE) {
    it(`${gitUrl} → ${expected}`, () => assert.equal(sharedRepository({ org: 'acme', gitUrl }, HOST), expected));
  }
  it('there is none without a git host', () => {
    assert.equal(sharedRepository({ org: 'acme', gitUrl: 'https://git.example/code/acme/shop' }, null), null);
  });

  it('the role on a repository is the strongest that a service which lives there gives', () => {
    const service = (name: string, roles: Readonly<Record<string, RepoRole>>) => ({
      org: 'acme',
      gitUrl: `${HOST}acme/${name}`,
      sharing: {
        revision: 1,
        orgs: Object.entries(roles).map(([org, repoRole]) => ({
          org,
          repoRole,
          authorizedBy: 'usr_ada',
          authorizedAt: new Date(0),
        })),
        lastChange: null,
      },
    });
    const services = [
      service('mono', { helpers: 'read' }),
      service('mono', { helpers: 'write', agency: 'none' }),
      service('other', { helpers: 'admin', strangers: 'read' }),
    ];
    const role = (org: string) => repositoryRole(services, { repository: 'acme/mono', org, gitHost: HOST });
    assert.deepEqual(['helpers', 'agency', 'strangers'].map(role), ['write', 'none', 'none']);
  });
});
