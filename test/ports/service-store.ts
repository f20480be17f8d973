import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServiceStore } from '../../domain/catalog/ports.ts';

const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

/** What every {@link ServiceStore} guarantees. Names are unique for each test, so one store serves them all. */
export function serviceStoreSuite(store: () => ServiceStore): void {
  describe('ServiceStore', () => {
    it('50 upserts of one name at once make one record', async () => {
      const keys = Array.from({ length: 50 }, (_, index) => ({ id: `svc_many${index}`, name: 'many', org: 'acme' }));
      const results = await Promise.all(
        keys.map((key, index) => store().upsert(key, { config: { [`K${index}`]: 'v' } })),
      );
      assert.equal(new Set(results.map((result) => result.service.id)).size, 1);
      assert.equal(results.filter((result) => result.created).length, 1);
      const found = await store().find('many');
      assert.equal(Object.keys(found?.config ?? {}).length, 50, 'every change was merged');
    });

    it('merges what is given, keeps what is absent, clears what is null', async () => {
      const key = { id: 'svc_merge', name: 'merge', org: 'acme' };
      const secret = { keyId: '00000000', sealed: 'x' };
      await store().upsert(key, {
        gitUrl: 'https://a.example/x',
        port: 80,
        config: { A: '1', B: '2' },
        secrets: { S: secret },
      });
      const { service, created } = await store().upsert(
        { ...key, id: 'svc_other' },
        { port: null, config: { A: null, C: '3' } },
      );
      assert.equal(created, false);
      assert.equal(service.id, 'svc_merge');
      assert.equal(service.gitUrl, 'https://a.example/x');
      assert.equal(service.port, null);
      assert.deepEqual(service.config, { B: '2', C: '3' });
      assert.deepEqual(service.secrets, { S: secret });
      for (const name of ['svc_merge', 'merge']) {
        assert.deepEqual(await store().find(name), service);
        assert.deepEqual(await store().findConfirmed(name), service);
      }
      assert.equal(await store().findConfirmed('svc_nobody'), null);
    });

    it('counts the credentials that were stored in each environment, also of those that were cleared', async () => {
      await store().upsert({ id: 'svc_counts', name: 'counts', org: 'acme' }, {});
      const stored = async () => (await store().find('svc_counts'))?.credentialsStored;
      assert.deepEqual(await stored(), {});
      const credential = { clientId: 'counts-prod', secret: { keyId: '00000000', sealed: 'x' } };
      await Promise.all([1, 2].map(() => store().setOAuthCredential('svc_counts', 'prod', credential)));
      await store().setOAuthCredential('svc_counts', 'uat', credential);
      await store().clearOAuthCredential('svc_counts', 'prod', 'counts-prod');
      assert.deepEqual(await stored(), { prod: 2, uat: 1 });
    });

    it('keeps what is set for one environment beside what is set for all, and merges it name by name', async () => {
      const key = { id: 'svc_sets', name: 'sets', org: 'acme' };
      const mark = { changedAt: new Date(0), changedBy: 'usr_ada' };
      const secret = { keyId: '00000000', sealed: 'x' };
      await store().upsert(key, { config: { A: 'all' }, marks: { A: mark } });
      const change = (environment: 'uat' | null, config: Record<string, string | null>, secrets = {}) =>
        store().changeVariables('svc_sets', environment, { config, secrets, marks: {} });
      await Promise.all([
        change('uat', { A: 'uat' }),
        change('uat', { B: '1' }, { S: secret }),
        change(null, { C: '2' }),
      ]);
      const changed = await change('uat', { B: null, Z: null });
      assert.deepEqual(changed?.config, { A: 'all', C: '2' });
      assert.deepEqual(changed?.marks, { A: mark });
      assert.deepEqual(changed?.overrides, { uat: { config: { A: 'uat' }, secrets: { S: secret }, marks: {} } });
      assert.deepEqual(await store().find('sets'), changed);
      assert.equal(await store().changeVariables('svc_nobody', null, { config: {}, secrets: {}, marks: {} }), null);
      await store().setRemoving('svc_sets', true);
      await assert.rejects(change(null, { C: '3' }), code('SERVICE_BUSY'));
      assert.equal((await store().find('sets'))?.config.C, '2');
    });

    it('changes variables only of the revision that they were checked against', async () => {
      const key = { id: 'svc_seen', name: 'seen', org: 'acme' };
      await store().upsert(key, { config: { A: '1' } }, 0);
      const first = await store().find('seen');
      assert.equal(first?.variablesRevision, 1);
      await assert.rejects(store().upsert(key, { config: { A: '2' } }, 0), code('CONFLICT'));
      const changed = await store().upsert(key, { config: { A: '2' } }, 1);
      assert.deepEqual([changed.service.id, changed.service.variablesRevision], ['svc_seen', 2]);
      await store().upsert(key, { port: 80 });
      const change = (seen: number) =>
        store().changeVariables('svc_seen', 'uat', { config: { B: '1' }, secrets: {}, marks: {} }, seen);
      await assert.rejects(change(1), code('CONFLICT'));
      assert.equal((await change(2))?.variablesRevision, 3);
      assert.equal(await store().changeVariables('svc_no', null, { config: {}, secrets: {}, marks: {} }, 0), null);
      const races = await Promise.allSettled(Array.from({ length: 10 }, () => change(3)));
      assert.equal(races.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    it('puts a sealed value in the place of the one it was made of, and of no other', async () => {
      await store().upsert({ id: 'svc_reseal', name: 'reseal', org: 'acme' }, {});
      const sealed = (sealed: string) => ({ keyId: '00000000', sealed });
      const secrets = { S: sealed('old') };
      for (const environment of [null, 'uat'] as const) {
        await store().changeVariables('svc_reseal', environment, { config: {}, secrets, marks: {} });
      }
      await store().setOAuthCredential('svc_reseal', 'prod', { clientId: 'reseal-prod', secret: sealed('old') });
      const places = [
        { kind: 'variable', environment: null, name: 'S' },
        { kind: 'variable', environment: 'uat', name: 'S' },
        { kind: 'credential', environment: 'prod' },
      ] as const;
      for (const place of places) {
        const replace = (from: string, to: string) =>
          store().replaceSealed('svc_reseal', place, { from: sealed(from), to: sealed(to) });
        assert.equal(await replace('other', 'lost'), false);
        assert.equal(await replace('old', 'new'), true);
        assert.equal(await replace('old', 'late'), false);
      }
      const stored = await store().find('reseal');
      assert.deepEqual([stored?.secrets, stored?.overrides.uat?.secrets], [{ S: sealed('new') }, { S: sealed('new') }]);
      assert.deepEqual(stored?.oauthCredentials, { prod: { clientId: 'reseal-prod', secret: sealed('new') } });
      const gone = { kind: 'variable', environment: null, name: 'GONE' } as const;
      assert.equal(await store().replaceSealed('svc_reseal', gone, { from: sealed('new'), to: sealed('x') }), false);
      assert.deepEqual(await store().find('reseal'), stored, 'nothing comes into being');
    });

    it('replaces which orgs share it of the revision that was seen, with who sees it in lists', async () => {
      await store().upsert({ id: 'svc_share', name: 'share', org: 'acme' }, {});
      const at = new Date(0);
      const sharing = (revision: number, ...orgs: string[]) => ({
        revision,
        orgs: orgs.map((org) => ({ org, repoRole: 'write' as const, authorizedBy: 'usr_ada', authorizedAt: at })),
        lastChange: {
          ...{ id: `soc_${revision}`, kind: 'authorized' as const, org: 'x', repoRole: null, by: 'usr_ada', at },
        },
      });
      const seenBy = async (org: string) =>
        (await store().list({ org }, { cursor: null, limit: 5 })).items.map(({ name }) => name);
      assert.equal((await store().find('share'))?.sharing.revision, 0);
      const races = await Promise.all(
        Array.from({ length: 10 }, () => store().setSharing('svc_share', sharing(1, 'sharer', 'second'), 0)),
      );
      assert.equal(races.filter(Boolean).length, 1, 'of two at once one is made');
      const found = await store().find('share');
      assert.deepEqual(found?.sharing, sharing(1, 'sharer', 'second'));
      assert.deepEqual(found?.authorizedOrgs, ['sharer', 'second']);
      assert.deepEqual([await seenBy('sharer'), await seenBy('second')], [['share'], ['share']]);
      await store().upsert({ id: 'svc_other', name: 'share', org: 'acme' }, { port: 80 });
      assert.deepEqual((await store().find('share'))?.authorizedOrgs, ['sharer', 'second'], 'no other change loses it');
      assert.equal(await store().setSharing('svc_share', sharing(2), 1), true);
      assert.deepEqual(await seenBy('sharer'), []);
      assert.equal(await store().setSharing('svc_nobody', sharing(1), 0), false);
      await store().setRemoving('svc_share', true);
      assert.equal(await store().setSharing('svc_share', sharing(3, 'late'), 2), false, 'not of one that is removed');
    });

    it('refuses a name that another org owns', async () => {
      await store().upsert({ id: 'svc_owned', name: 'owned', org: 'acme' }, {});
      await assert.rejects(
        store().upsert({ id: 'svc_thief', name: 'owned', org: 'thief' }, { config: { A: 'x' } }),
        code('SERVICE_OWNER_MISMATCH'),
      );
      assert.deepEqual((await store().find('owned'))?.config, {});
    });

    it('lists by name in pages that miss and repeat nothing', async () => {
      for (const name of ['p3', 'p1', 'p2', 'p5', 'p4']) {
        await store().upsert({ id: `svc_${name}`, name, org: 'pages' }, {});
      }
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store().list({ org: 'pages' }, { cursor, limit: 2 });
        seen.push(...page.items.map((service) => service.name));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen, ['p1', 'p2', 'p3', 'p4', 'p5']);
      assert.deepEqual((await store().list({ org: 'nobody' }, { cursor: null, limit: 2 })).items, []);
    });

    it('refuses a cursor it did not make', async () => {
      for (const cursor of ['', '%', 'e30', Buffer.from('[{"$gt":""}]').toString('base64url'), 'WyJhIiwiYiJd']) {
        await assert.rejects(store().list({ org: null }, { cursor, limit: 2 }), code('VALIDATION_FAILED'), cursor);
      }
    });

    it('keeps one client credential for each environment, and clears it only for the client it is of', async () => {
      await store().upsert({ id: 'svc_creds', name: 'creds', org: 'acme' }, {});
      const credential = (clientId: string) => ({ clientId, secret: { keyId: '00000000', sealed: clientId } });
      assert.deepEqual((await store().find('creds'))?.oauthCredentials, {});
      assert.equal(await store().setOAuthCredential('svc_creds', 'prod', credential('old')), true);
      assert.equal(await store().setOAuthCredential('svc_creds', 'prod', credential('creds-prod')), true);
      assert.equal(await store().setOAuthCredential('svc_creds', 'uat', credential('creds-uat')), true);
      await store().clearOAuthCredential('svc_creds', 'prod', 'old');
      await store().clearOAuthCredential('svc_creds', 'uat', 'creds-uat');
      await store().upsert({ id: 'svc_other', name: 'creds', org: 'acme' }, { port: 80 });
      assert.deepEqual((await store().find('creds'))?.oauthCredentials, { prod: credential('creds-prod') });
      assert.equal(await store().setOAuthCredential('svc_nobody', 'prod', credential('x')), false);
    });

    it('keeps which services a client is given scopes of, for each environment', async () => {
      await store().upsert({ id: 'svc_grants', name: 'grants', org: 'acme' }, {});
      const shop = { id: 'svc_shop', name: 'shop' };
      const kept = async () => (await store().find('grants'))?.pendingGrants;
      assert.deepEqual(await kept(), {});
      assert.equal(await store().setPendingGrants('svc_grants', 'prod', [shop, { id: 'svc_x', name: 'x' }]), true);
      assert.equal(await store().setPendingGrants('svc_grants', 'prod', [shop]), true);
      assert.equal(await store().setPendingGrants('svc_grants', 'uat', []), true);
      await store().upsert({ id: 'svc_other', name: 'grants', org: 'acme' }, { port: 80 });
      assert.deepEqual(await kept(), { prod: [shop], uat: [] });
      assert.equal(await store().setPendingGrants('svc_nobody', 'prod', [shop]), false);
    });

    it('keeps of which names a client is given callbacks, for each environment', async () => {
      await store().upsert({ id: 'svc_named', name: 'named', org: 'acme' }, {});
      const kept = async () => (await store().find('named'))?.pendingCallbacks;
      assert.deepEqual(await kept(), {});
      assert.equal(await store().setPendingCallbacks('svc_named', 'prod', ['a.example.com', 'b.example.com']), true);
      assert.equal(await store().setPendingCallbacks('svc_named', 'prod', ['b.example.com']), true);
      assert.equal(await store().setPendingCallbacks('svc_named', 'uat', []), true);
      await store().upsert({ id: 'svc_other', name: 'named', org: 'acme' }, { port: 80 });
      assert.deepEqual(await kept(), { prod: ['b.example.com'], uat: [] });
      assert.equal(await store().setPendingCallbacks('svc_nobody', 'prod', ['a.example.com']), false);
    });

    it('keeps the last id of a monitor for each environment', async () => {
      await store().upsert({ id: 'svc_watched', name: 'watched', org: 'acme' }, {});
      const kept = async () => (await store().find('watched'))?.pulseMonitorIds;
      assert.deepEqual(await kept(), {});
      for (const id of ['first', 'second', 'second']) await store().setMonitor('svc_watched', 'prod', id);
      await store().setMonitor('svc_watched', 'uat', 'other');
      await store().upsert({ id: 'svc_other', name: 'watched', org: 'acme' }, { port: 80 });
      assert.deepEqual(await kept(), { prod: 'second', uat: 'other' });
      await store().setMonitor('svc_nobody', 'prod', 'x');
      assert.equal(await store().find('svc_nobody'), null);
    });

    it('notes an environment once, however often it is told of it', async () => {
      await store().upsert({ id: 'svc_places', name: 'places', org: 'acme' }, {});
      const places = async () => (await store().find('places'))?.namespaces;
      assert.deepEqual(await places(), {});
      await Promise.all(Array.from({ length: 20 }, () => store().addNamespace('svc_places', 'prod')));
      const first = (await places())?.prod;
      assert.ok(first !== undefined);
      await store().addNamespace('svc_places', 'prod');
      await store().addNamespace('svc_places', 'uat');
      await store().addNamespace('svc_nobody', 'prod');
      assert.deepEqual(Object.keys((await places()) ?? {}).sort(), ['prod', 'uat']);
      assert.deepEqual((await places())?.prod, first);
    });

    it('a service that is being removed is not changed, and its name is nobody else’s, until it is gone', async () => {
      const key = { id: 'svc_leaving', name: 'leaving', org: 'acme' };
      await store().upsert(key, { branch: 'main' });
      assert.equal(await store().setRemoving('svc_leaving', true), true);
      const since = (await store().find('leaving'))?.removingSince;
      assert.ok(since instanceof Date);
      assert.equal(await store().setRemoving('svc_leaving', true), true);
      assert.deepEqual((await store().find('leaving'))?.removingSince, since, 'the first moment stays');
      await assert.rejects(store().upsert({ ...key, id: 'svc_next' }, { branch: 'next' }), code('SERVICE_BUSY'));
      const other = { id: 'svc_other', name: 'leaving', org: 'globex' };
      await assert.rejects(store().upsert(other, {}), code('SERVICE_OWNER_MISMATCH'));
      assert.equal((await store().find('leaving'))?.branch, 'main');
      assert.equal(await store().setRemoving('svc_leaving', false), true);
      assert.equal(await store().decideRemoval('svc_leaving'), false, 'it is not being removed any more');
      assert.equal((await store().upsert(key, { branch: 'next' })).service.branch, 'next');
      assert.equal(await store().setRemoving('svc_leaving', true), true);
      for (const again of [1, 2]) assert.equal(await store().decideRemoval('svc_leaving'), true, `${again}`);
      assert.equal(await store().setRemoving('svc_leaving', false), false, 'it is decided');
      assert.ok((await store().find('leaving'))?.removingSince instanceof Date);
      assert.equal(await store().setRemoving('svc_nobody', true), false);
      assert.equal(await store().decideRemoval('svc_nobody'), false);
    });

    it('remembers the last build and forgets a removed service', async () => {
      await store().upsert({ id: 'svc_gone', name: 'gone', org: 'acme' }, {});
      await store().setLastBuild('svc_gone', 'bld_9');
      assert.equal((await store().find('gone'))?.lastBuildId, 'bld_9');
      assert.equal(await store().remove('svc_gone'), true);
      assert.equal(await store().remove('svc_gone'), false);
      assert.equal(await store().find('gone'), null);
    });
  });
}
