import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { SharingDeps } from '../../../activities/authorized-orgs/deps.ts';
import { createSharingActivities } from '../../../activities/authorized-orgs/index.ts';
import { createGrantsActivities } from '../../../activities/grants/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { MOST_AUTHORIZED_ORGS } from '../../../domain/authorized-orgs/sharing.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { RepoRole } from '../../../domain/repo-role.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { buildRecord } from '../../ports/records.ts';
import { createInMemoryDeploys, GIT_HOST, type InMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { shareService } from '../../support/share-service.ts';

const FIRST = { cursor: null, limit: 200 };
const away = new FairleadError('UNAVAILABLE', 'away', { retryable: true });

/** `acme` owns `notes`; `helpers` has `shop`, whose client has scopes of it. */
describe('activities of authorized orgs', () => {
  let parts: InMemoryDeploys;
  let deps: SharingDeps;
  let activities: ReturnType<typeof createSharingActivities>;
  let requests = 0;

  beforeEach(async () => {
    parts = createInMemoryDeploys();
    deps = { ...parts, repositories: parts.repositoryAccess, gitHost: GIT_HOST };
    activities = createSharingActivities(deps);
    parts.repositoryAccess.repositories.add('acme/notes');
    const gitUrl = `${GIT_HOST}/acme/notes`;
    await parts.services.upsert({ id: 'svc_notes', name: 'notes', org: 'acme' }, { gitUrl });
    await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'helpers' }, {});
  });

  const service = { id: 'svc_notes', name: 'notes' };
  const authorize = (org: string, repoRole: RepoRole | null = null) => {
    requests += 1;
    const request = { id: `soc_${requests}`, want: 'authorized', org, repoRole, by: 'usr_ada' } as const;
    return { service, request, requestId: 'req_1' };
  };
  const deauthorize = (org: string) => {
    requests += 1;
    return {
      service,
      request: { id: `soc_${requests}`, want: 'deauthorized', org, by: 'usr_ada' },
      requestId: null,
    } as const;
  };
  const orgs = async () => (await parts.services.find('svc_notes'))?.authorizedOrgs;
  const changes = async () =>
    (await parts.sharingHistory.list('svc_notes', FIRST)).items.map(({ kind, org }) => `${kind} ${org}`).sort();
  const told = () => parts.audit.told().map(({ eventType }) => eventType);
  const give = async (clientId: string, fields: object) => {
    const record = { clientId, orgSlug: 'helpers', service: 'shop', environment: 'prod' as const };
    await parts.clientStore.insert(clientRecord({ ...record, ...fields }));
  };
  const scopesOf = async (clientId: string) => (await parts.clientStore.find(clientId))?.allowedScopes;

  it('writes the list, one entry of history and one audit event a change, and says whether the org is new', async () => {
    const first = await activities.recordSharing(authorize('helpers'));
    assert.equal(first.added, true);
    assert.deepEqual(first.view.authorizedOrgs, [
      { orgSlug: 'helpers', repoRole: 'write', authorizedBy: 'usr_ada', authorizedAt: '2026-01-01T00:00:00.000Z' },
    ]);
    assert.equal((await activities.recordSharing(authorize('helpers'))).added, false);
    assert.equal((await activities.recordSharing(authorize('helpers', 'read'))).added, false);
    await activities.recordSharing(deauthorize('helpers'));
    assert.deepEqual(await orgs(), []);
    assert.deepEqual(await changes(), ['authorized helpers', 'deauthorized helpers', 'repo_role_changed helpers']);
    assert.deepEqual(told(), ['service.org_authorized', 'service.org_repo_role_changed', 'service.org_deauthorized']);
    const [event] = parts.audit.told();
    assert.deepEqual([event?.entityId, event?.orgSlug], ['notes', 'acme'], 'the owner reads it');
    assert.deepEqual(event?.data, {
      ...{ service: 'notes', serviceId: 'svc_notes', org: 'helpers', repoRole: 'write' },
    });
  });

  it('an attempt that is killed between its writes is repeated, and each is told once', async () => {
    const request = authorize('helpers');
    const dying: (keyof SharingDeps)[] = ['sharingHistory', 'audit'];
    for (const part of dying) {
      const fail = { add: () => Promise.reject(away), record: () => Promise.reject(away) };
      const cut = createSharingActivities({ ...deps, [part]: { ...parts[part as 'audit'], ...fail } });
      await assert.rejects(cut.recordSharing(request), (error) => error === away);
      assert.deepEqual(await orgs(), ['helpers'], 'the list is written first');
    }
    assert.equal((await activities.recordSharing(request)).added, true);
    assert.deepEqual([await changes(), told()], [['authorized helpers'], ['service.org_authorized']]);
  });

  it('what a killed attempt never told is told by the next change', async () => {
    const cut = createSharingActivities({ ...deps, audit: { record: () => Promise.reject(away) } });
    await assert.rejects(cut.recordSharing(authorize('helpers')));
    await activities.recordSharing(authorize('agency'));
    assert.deepEqual(told(), ['service.org_authorized', 'service.org_authorized']);
    assert.deepEqual(await changes(), ['authorized agency', 'authorized helpers']);
  });

  it('20 changes at once are all made, and a list of thousands is not', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `org-${index}`);
    const twice = names.flatMap((name) => [authorize(name), authorize(name)]);
    const outcomes = await Promise.allSettled(twice.map((change) => activities.recordSharing(change)));
    // Without the workflow, which makes one after the other, some meet too often; each says so, and is tried again.
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') continue;
      assert.equal((outcome.reason as FairleadError).code, 'UNAVAILABLE');
      const change = twice[index];
      if (change !== undefined) await activities.recordSharing(change);
    }
    assert.deepEqual(await orgs(), [...names].sort());
    assert.equal((await changes()).length, 20);
    for (let index = 20; index < MOST_AUTHORIZED_ORGS; index += 1)
      await activities.recordSharing(authorize(`org-${index}`));
    await assert.rejects(activities.recordSharing(authorize('one-more')), { code: 'CONFLICT' });
    assert.equal((await orgs())?.length, MOST_AUTHORIZED_ORGS);
  });

  it('refuses a service that is gone, or being removed', async () => {
    await parts.services.setRemoving('svc_notes', true);
    await assert.rejects(activities.recordSharing(authorize('helpers')), { code: 'SERVICE_BUSY' });
    await parts.services.remove('svc_notes');
    await assert.rejects(activities.recordSharing(authorize('helpers')), { code: 'SERVICE_NOT_FOUND' });
  });

  describe('scopes of an org that is taken out', () => {
    const shared = { serviceId: 'svc_notes', org: 'helpers' };
    const SCOPES = ['openid', 'notes:read', 'mail:send'];

    beforeEach(async () => {
      await give('shop-prod', { allowedScopes: SCOPES });
      await give('shop-uat', { environment: 'uat', allowedScopes: SCOPES });
      await give('tool', { service: null, environment: null, allowedScopes: SCOPES });
      await give('other-prod', { orgSlug: 'acme', service: 'other', allowedScopes: SCOPES });
      await shareService(parts.services, 'svc_notes', ['helpers']);
    });

    it('are taken from the clients of its services in every environment, and from no other client', async () => {
      await activities.takeScopes(shared);
      assert.deepEqual(await scopesOf('shop-prod'), SCOPES, 'while it is in, it keeps them');
      await activities.recordSharing(deauthorize('helpers'));
      await activities.takeScopes(shared);
      await activities.takeScopes(shared);
      const left = ['openid', 'mail:send'];
      assert.deepEqual([await scopesOf('shop-prod'), await scopesOf('shop-uat')], [left, left]);
      assert.deepEqual([await scopesOf('tool'), await scopesOf('other-prod')], [SCOPES, SCOPES]);
    });

    it('stay as far as an approved grant gives them', async () => {
      const key = {
        holder: { serviceId: 'svc_shop', name: 'shop', org: 'helpers' },
        environment: 'prod' as const,
        target: { serviceId: 'svc_notes', name: 'notes', org: 'acme' },
      };
      const grants = createGrantsActivities({ ...parts, newId });
      const asking = { scopes: ['notes:read'], by: 'usr_eve', as: 'deploy', requestId: null } as const;
      await grants.requestGrant({ key, request: asking });
      const transition = { decision: 'approve', by: 'usr_ada', revision: null, requestId: null } as const;
      await grants.recordDecision({ key, transition });
      await activities.recordSharing(deauthorize('helpers'));
      await activities.takeScopes(shared);
      assert.deepEqual([...((await scopesOf('shop-prod')) ?? [])].sort(), ['mail:send', 'notes:read', 'openid']);
      assert.deepEqual(await scopesOf('shop-uat'), ['openid', 'mail:send']);
    });

    it('a provider that is away fails the attempt, and the next one goes on where it stopped', async () => {
      await activities.recordSharing(deauthorize('helpers'));
      let calls = 0;
      const revokeScopes: typeof parts.clients.revokeScopes = async (...given) => {
        calls += 1;
        if (calls === 2) throw away;
        return parts.clients.revokeScopes(...given);
      };
      const cut = createSharingActivities({ ...deps, clients: { ...parts.clients, revokeScopes } });
      await assert.rejects(cut.takeScopes(shared), (error) => error === away);
      await cut.takeScopes(shared);
      assert.deepEqual(await scopesOf('shop-uat'), ['openid', 'mail:send']);
    });
  });

  describe('what an org that is taken out added to the clients of the service', () => {
    const HELPER = { org: 'helpers', actor: 'usr_eve', sharingRevision: 1 };
    const left = async (clientId: string) => (await parts.clientStore.find(clientId))?.customDomains;
    const takeOut = () => activities.takeScopes({ serviceId: 'svc_notes', org: 'helpers', takenOut: 2 });

    beforeEach(async () => {
      for (const environment of ['prod', 'uat'] as const) {
        await give(`notes-${environment}`, { orgSlug: 'acme', service: 'notes', environment });
        await parts.clientStore.addEntry(`notes-${environment}`, { list: 'customDomains', value: 'a.test' }, HELPER);
      }
      await give('shop-prod', { customDomains: ['a.test'], addedEntries: [] });
    });

    it('goes in every environment, and again an attempt that is repeated changes nothing', async () => {
      await activities.takeScopes({ serviceId: 'svc_notes', org: 'helpers' });
      assert.deepEqual(await left('notes-prod'), ['a.test'], 'an org that was let in loses nothing');
      for (let twice = 0; twice < 2; twice += 1) await takeOut();
      assert.deepEqual([await left('notes-prod'), await left('notes-uat')], [[], []]);
      assert.deepEqual(await left('shop-prod'), ['a.test']);
    });

    it('its names of their own go as well', async () => {
      const released: object[] = [];
      const customDomains = { releaseOf: async (...of: object[]) => void released.push(of) };
      const cut = createSharingActivities({ ...deps, customDomains: customDomains as never });
      await cut.takeScopes({ serviceId: 'svc_notes', org: 'helpers' });
      await cut.takeScopes({ serviceId: 'svc_notes', org: 'helpers', takenOut: 2 });
      assert.deepEqual(released, [['svc_notes', { org: 'helpers', revision: 2 }]]);
    });

    it('a name that cannot be removed keeps nothing else from being taken, and is tried again', async () => {
      await shareService(parts.services, 'svc_notes', ['helpers']);
      await give('shop-prod-2', { allowedScopes: ['openid', 'notes:read'] });
      await activities.recordSharing(deauthorize('helpers'));
      const [of] = (await parts.sharingHistory.listUnfinished(FIRST)).items;
      assert.ok(of !== undefined);
      const stuck = new FairleadError('VALIDATION_FAILED', '"com" is no host name');
      const fails = { releaseOf: () => Promise.reject(stuck) } as never;
      const cut = createSharingActivities({ ...deps, customDomains: fails });
      await assert.rejects(cut.takeScopes(of), (error) => error === stuck);
      assert.deepEqual([await scopesOf('shop-prod-2'), await left('notes-prod')], [['openid'], []]);
      assert.deepEqual((await parts.sharingHistory.listUnfinished(FIRST)).items, [of]);
      await activities.finishTakingOut();
      assert.deepEqual((await parts.sharingHistory.listUnfinished(FIRST)).items, []);
    });

    it('and what cannot be taken keeps no name', async () => {
      const released: string[] = [];
      const customDomains = { releaseOf: async (serviceId: string) => void released.push(serviceId) } as never;
      const clients = { ...parts.clients, removeAdditions: () => Promise.reject(away) };
      const cut = createSharingActivities({ ...deps, customDomains, clients });
      const of = { serviceId: 'svc_notes', org: 'helpers', takenOut: 2 };
      await assert.rejects(cut.takeScopes(of), (error) => error === away);
      assert.deepEqual(released, ['svc_notes']);
    });

    it('goes also when it is let in again before that was done', async () => {
      await activities.recordSharing(authorize('helpers'));
      await activities.recordSharing(deauthorize('helpers'));
      await activities.recordSharing(authorize('helpers'));
      const later = { ...HELPER, sharingRevision: 3 };
      await parts.clientStore.addEntry('notes-prod', { list: 'customDomains', value: 'later.test' }, later);
      await takeOut();
      assert.deepEqual([await left('notes-prod'), await left('notes-uat')], [['later.test'], []]);
    });

    it('a provider that is away fails the attempt, and the next one goes on where it stopped', async () => {
      let calls = 0;
      const removeAdditions: typeof parts.clients.removeAdditions = async (...given) => {
        calls += 1;
        if (calls === 2) throw away;
        return parts.clients.removeAdditions(...given);
      };
      const cut = createSharingActivities({ ...deps, clients: { ...parts.clients, removeAdditions } });
      const of = { serviceId: 'svc_notes', org: 'helpers', takenOut: 2 };
      await assert.rejects(cut.takeScopes(of), (error) => error === away);
      await cut.takeScopes(of);
      assert.deepEqual([await left('notes-prod'), await left('notes-uat')], [[], []]);
    });
  });

  describe('builds that may wait for the service', () => {
    const open = (id: string, service: string, changes: object = {}) =>
      parts.builds.create(buildRecord({ id, service, serviceId: `svc_${service}`, ...changes }));
    const told = () => parts.workflows.decisions();

    it('are told when their org is let in, each coordinator once, and those of no other org', async () => {
      await open('bld_1', 'shop');
      await open('bld_2', 'shop');
      await open('bld_3', 'shop', { environment: 'uat' });
      await open('bld_4', 'notes');
      await parts.services.upsert({ id: 'svc_done', name: 'done', org: 'helpers' }, {});
      await open('bld_5', 'done');
      const end = { status: 'completed', reason: null, failure: null, supersededBy: null } as const;
      await parts.builds.finish('bld_5', { ...end, finishedAt: parts.now() });
      await activities.tellWaitingBuilds({ serviceId: 'svc_notes', org: 'helpers' });
      assert.deepEqual([...told()].sort(), ['shop/prod', 'shop/uat']);
    });

    it('are all told, however many services the org has', async () => {
      for (let index = 0; index < 250; index += 1) {
        await parts.services.upsert({ id: `svc_s${index}`, name: `s${index}`, org: 'helpers' }, {});
        await open(`bld_s${index}`, `s${index}`);
      }
      await activities.tellWaitingBuilds({ serviceId: 'svc_notes', org: 'helpers' });
      assert.equal(new Set(told()).size, 250);
    });

    it('are not told when it is taken out: nothing is decided for them', async () => {
      await open('bld_1', 'shop');
      await activities.tellWaitingBuilds({ serviceId: 'svc_notes', org: 'helpers', takenOut: 2 });
      assert.deepEqual(told(), []);
    });
  });

  describe('roles on repositories', () => {
    const roles = () => parts.repositoryAccess.roles();
    const setRole = (org: string) => activities.setRepositoryRole({ serviceId: 'svc_notes', org });

    it('follow the list', async () => {
      await activities.recordSharing(authorize('helpers', 'read'));
      await setRole('helpers');
      assert.deepEqual(roles(), ['acme/notes helpers read']);
      await activities.recordSharing(deauthorize('helpers'));
      await setRole('helpers');
      assert.deepEqual(roles(), []);
    });

    it('stay while another service of that repository is shared', async () => {
      const gitUrl = `${GIT_HOST}/acme/notes.git`;
      await parts.services.upsert({ id: 'svc_api', name: 'api', org: 'acme' }, { gitUrl, appPath: 'api' });
      await shareService(parts.services, 'svc_api', ['helpers']);
      await activities.recordSharing(authorize('helpers', 'admin'));
      await setRole('helpers');
      await activities.recordSharing(deauthorize('helpers'));
      await setRole('helpers');
      assert.deepEqual(roles(), ['acme/notes helpers write']);
    });

    it('are never given on a repository of another org, whatever address the service was given', async () => {
      parts.repositoryAccess.repositories.add('victim/private');
      await activities.recordSharing(authorize('helpers', 'admin'));
      await parts.services.upsert(
        { id: 'svc_notes', name: 'notes', org: 'acme' },
        { gitUrl: `${GIT_HOST}/victim/private` },
      );
      await setRole('helpers');
      await activities.reconcileRepositories({ userId: 'usr_eve', email: 'eve@helpers.example', org: 'helpers' });
      assert.deepEqual(roles(), []);
    });

    it('are of what a majority of the database says: a service that was taken from them meanwhile lets nobody in', async () => {
      await activities.recordSharing(authorize('helpers'));
      const listed = await parts.services.list({ org: 'acme' }, FIRST);
      await activities.recordSharing(deauthorize('helpers'));
      const list: typeof parts.services.list = async () => listed;
      const behind = createSharingActivities({ ...deps, services: { ...parts.services, list } });
      await behind.setRepositoryRole({ serviceId: 'svc_notes', org: 'helpers' });
      await behind.reconcileAllRepositories();
      assert.deepEqual(roles(), []);
    });

    it('are given to who comes later: on every repository that their org shares, and on none of their own', async () => {
      await activities.recordSharing(authorize('helpers'));
      parts.repositoryAccess.repositories.add('helpers/shop');
      await parts.services.upsert(
        { id: 'svc_shop', name: 'shop', org: 'helpers' },
        { gitUrl: `${GIT_HOST}/helpers/shop` },
      );
      const member = { userId: 'usr_eve', email: 'eve@helpers.example', org: 'helpers' };
      await activities.reconcileRepositories(member);
      await activities.reconcileRepositories(member);
      assert.deepEqual(roles(), ['acme/notes helpers write']);
      assert.deepEqual(parts.repositoryAccess.members(), ['usr_eve of helpers']);
    });

    it('are made to agree with all lists at once; what is refused keeps no other from it', async () => {
      await activities.recordSharing(authorize('helpers'));
      await activities.recordSharing(authorize('agency', 'read'));
      await activities.reconcileAllRepositories();
      assert.deepEqual(roles(), ['acme/notes agency read', 'acme/notes helpers write']);
      const tried: string[] = [];
      const refusing = createSharingActivities({
        ...deps,
        repositories: {
          ensureMember: async () => undefined,
          setOrgRole: async ({ org }) => {
            tried.push(org);
            throw org === 'agency' ? new FairleadError('CONFLICT', 'no organization') : away;
          },
        },
      });
      await assert.rejects(refusing.reconcileAllRepositories(), (error) => error === away, 'what may pass is retried');
      assert.deepEqual(tried.sort(), ['agency', 'helpers']);
    });

    it('go with the service, and only when it is removed', async () => {
      await activities.recordSharing(authorize('helpers'));
      await setRole('helpers');
      await activities.withdrawRepositories('svc_notes');
      assert.deepEqual(roles(), ['acme/notes helpers write']);
      await parts.services.setRemoving('svc_notes', true);
      await activities.withdrawRepositories('svc_notes');
      assert.deepEqual(roles(), []);
    });

    it('a git host that is away fails the attempt; without one nothing is asked of it', async () => {
      await activities.recordSharing(authorize('helpers'));
      parts.repositoryAccess.away = true;
      await assert.rejects(setRole('helpers'), { code: 'UNAVAILABLE', system: 'git-host' });
      const without = createSharingActivities({ ...deps, repositories: null });
      await without.setRepositoryRole({ serviceId: 'svc_notes', org: 'helpers' });
      await without.withdrawRepositories('svc_notes');
      await without.reconcileRepositories({ userId: 'usr_eve', email: '', org: 'helpers' });
    });
  });
});
