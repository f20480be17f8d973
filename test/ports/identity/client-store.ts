import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { AddedBy } from '../../../domain/oauth-clients/added-by.ts';
import type { ClientChanges, ClientStore } from '../../../domain/oauth-clients/ports.ts';
import { allPages } from './all-pages.ts';
import { atOnce, CALLERS, HOSTILE, refusals, winners } from './at-once.ts';
import { at, clientRecord, clientSecret } from './records.ts';

/** What every {@link ClientStore} guarantees. */
export function clientStoreSuite(create: (now: Clock) => ClientStore): void {
  const store = create(() => at(10));

  describe('ClientStore', () => {
    it('gives back what was put in, and null for an id it does not know', async () => {
      const client = clientRecord({ clientId: 'cl-whole', secrets: [clientSecret('sec_1')], environment: 'uat' });
      await store.insert(client);
      assert.deepEqual(await store.find('cl-whole'), client);
      for (const id of ['cl-none', ...HOSTILE]) assert.equal(await store.find(id), null, id);
      assert.equal(await store.update('cl-none', { name: 'x' }), null);
      assert.equal(await store.removeEntry('cl-none', { list: 'redirectUris', value: 'x' }), null);
      assert.equal(await store.removeSecret('cl-none', 'sec_1'), false);
    });

    it('finds the clients with scopes of a service, and takes the named scopes alone', async () => {
      await store.insert(
        clientRecord({ clientId: 'cl-scoped', allowedScopes: ['openid', 'notes:admin', 'notes:read'] }),
      );
      await store.insert(clientRecord({ clientId: 'cl-other', allowedScopes: ['notes-old:read', 'my:notes:read'] }));
      const holders = async () => (await store.withScopesOf('notes')).map(({ clientId }) => clientId);
      assert.deepEqual(await holders(), ['cl-scoped']);
      await store.removeScopes('cl-scoped', ['notes:admin', 'notes:nothing']);
      assert.deepEqual((await store.find('cl-scoped'))?.allowedScopes, ['openid', 'notes:read']);
      for (let twice = 0; twice < 2; twice += 1) await store.removeScopes('cl-scoped', ['notes:read']);
      await store.removeScopes('cl-nobody', ['notes:read']);
      assert.deepEqual((await store.find('cl-scoped'))?.allowedScopes, ['openid']);
      assert.deepEqual((await store.find('cl-other'))?.allowedScopes, ['notes-old:read', 'my:notes:read']);
      assert.deepEqual(await holders(), []);
    });

    it('50 inserts of one id at once make one client', async () => {
      const insert = (caller: number) => store.insert(clientRecord({ clientId: 'cl-race', name: `${caller}` }));
      assert.equal(await refusals('CLIENT_EXISTS', insert), CALLERS - 1);
    });

    it('sets what is given, part by part of passport and appearance, and keeps the rest', async () => {
      await store.insert(clientRecord({ clientId: 'cl-change' }));
      await store.update('cl-change', {
        passportConfig: { headless: true },
        whiteLabel: { logoUrl: 'https://a.test/l' },
      });
      const changed = await store.update('cl-change', {
        name: 'Renamed',
        passportConfig: { includeBranding: true },
        whiteLabel: { primaryColor: '#000000' },
      });
      const before = clientRecord({ clientId: 'cl-change' });
      assert.deepEqual(changed, {
        ...before,
        name: 'Renamed',
        passportConfig: { ...before.passportConfig, headless: true, includeBranding: true },
        whiteLabel: { emailFromName: null, logoUrl: 'https://a.test/l', primaryColor: '#000000' },
        updatedAt: at(10),
      });
      assert.deepEqual(await store.find('cl-change'), changed);
    });

    it('writes no field that is not one to change', async () => {
      await store.insert(clientRecord({ clientId: 'cl-fixed' }));
      const smuggled = {
        orgSlug: 'thief',
        clientType: 'public',
        secrets: [],
        createdBy: 'x',
        'passportConfig.headless': true,
      };
      const parts = { passportConfig: { 'a.b': true, $set: 1 }, whiteLabel: { 'x.y': 1 } };
      await store.update('cl-fixed', { ...smuggled, ...parts } as unknown as ClientChanges);
      assert.deepEqual(await store.find('cl-fixed'), { ...clientRecord({ clientId: 'cl-fixed' }), updatedAt: at(10) });
    });

    it('50 additions at once lose nothing, and a list that is replaced and added to holds both', async () => {
      await store.insert(clientRecord({ clientId: 'cl-grow', redirectUris: ['https://a.test'] }));
      await atOnce((caller) => {
        const additions = { redirectUris: [`https://a.test/${caller}`], allowedScopes: ['openid', `s:${caller}`] };
        return store.update('cl-grow', { llmAccessEnabled: true }, additions);
      });
      const grown = await store.find('cl-grow');
      assert.equal(grown?.redirectUris.length, CALLERS + 1);
      assert.equal(new Set(grown?.allowedScopes).size, CALLERS + 3);
      assert.equal(grown?.allowedScopes.length, CALLERS + 3, 'nothing is there twice');
      const both = await store.update('cl-grow', { redirectUris: ['b'] }, { redirectUris: ['b', 'c'] });
      assert.deepEqual(both?.redirectUris, ['b', 'c']);
      assert.deepEqual((await store.removeEntry('cl-grow', { list: 'redirectUris', value: 'b' }))?.redirectUris, ['c']);
    });

    it('never holds more than two secrets, however many come at once', async () => {
      await store.insert(clientRecord({ clientId: 'cl-secrets' }));
      const add = (caller: number) => store.addSecret('cl-secrets', clientSecret(`sec_${caller}`));
      assert.equal(await refusals('CLIENT_SECRETS_FULL', add), CALLERS - 2);
      const secrets = (await store.find('cl-secrets'))?.secrets ?? [];
      assert.equal(secrets.length, 2);
      assert.equal(await winners(() => store.removeSecret('cl-secrets', secrets[0]?.id ?? '')), 1);
      await store.addSecret('cl-secrets', clientSecret('sec_new'));
      await store.replaceSecrets('cl-secrets', clientSecret('sec_only'));
      assert.deepEqual((await store.find('cl-secrets'))?.secrets, [clientSecret('sec_only')]);
      await assert.rejects(store.addSecret('cl-none', clientSecret('sec_x')), { code: 'CLIENT_NOT_FOUND' });
      await assert.rejects(store.replaceSecrets('cl-none', clientSecret('sec_x')), { code: 'CLIENT_NOT_FOUND' });
    });

    it('keeps one secret of a key: the next one takes the place of the one that was seen', async () => {
      const of = (id: string, issuedFor = 'svc_1/prod/0') => ({ ...clientSecret(id), issuedFor });
      const ids = async () => (await store.find('cl-keyed'))?.secrets.map(({ id }) => id);
      await store.insert(clientRecord({ clientId: 'cl-keyed', secrets: [clientSecret('sec_hand')] }));
      const first = (caller: number) => store.putSecretOfKey('cl-keyed', of(`sec_${caller}`), null);
      const put = await Promise.all(Array.from({ length: CALLERS }, (_, caller) => first(caller)));
      assert.equal(put.filter(Boolean).length, 1, 'one of all that saw none');
      const [hand, made = ''] = (await ids()) ?? [];
      assert.equal(hand, 'sec_hand');
      assert.equal(await store.putSecretOfKey('cl-keyed', of('sec_late'), null), false);
      assert.equal(await store.putSecretOfKey('cl-keyed', of('sec_late'), 'sec_hand'), false, 'of another key');
      assert.equal(await store.putSecretOfKey('cl-keyed', of('sec_next'), made), true);
      assert.equal(await store.putSecretOfKey('cl-keyed', of('sec_late'), made), false, 'gone');
      assert.deepEqual((await store.find('cl-keyed'))?.secrets, [clientSecret('sec_hand'), of('sec_next')]);
      assert.equal(await store.putSecretOfKey('cl-keyed', of('sec_two', 'svc_1/prod/1'), null), true);
      assert.deepEqual(await ids(), ['sec_two'], 'without room in the place of all');
      assert.equal(await store.putSecretOfKey('cl-none', of('sec_x'), null), false);
    });

    const HELPER: AddedBy = { org: 'helpers', actor: 'usr_eve', sharingRevision: 3 };
    const OWNER: AddedBy = { org: 'acme', actor: 'usr_ada', sharingRevision: null };
    const uri = (value: string) => ({ list: 'redirectUris', value }) as const;

    it('keeps who added which entry of a list, and forgets it with the entry', async () => {
      await store.insert(clientRecord({ clientId: 'cl-entries', redirectUris: ['https://a.test'] }));
      const kept = async () => {
        const client = await store.find('cl-entries');
        return [client?.redirectUris, client?.addedEntries.map(({ value, actor }) => `${value} ${actor}`)];
      };
      for (let twice = 0; twice < 2; twice += 1) {
        assert.equal(await store.addEntry('cl-entries', uri('https://b.test'), HELPER), true);
        assert.equal(await store.addEntry('cl-entries', uri('https://a.test'), HELPER), true);
      }
      assert.deepEqual(await kept(), [['https://a.test', 'https://b.test'], ['https://b.test usr_eve']]);
      await store.addEntry('cl-entries', uri('https://b.test'), { ...HELPER, org: 'agency', actor: 'usr_bob' });
      assert.deepEqual((await kept())[1], ['https://b.test usr_eve'], 'the first of those that share it');
      await store.addEntry('cl-entries', uri('https://b.test'), OWNER);
      assert.deepEqual((await kept())[1], ['https://b.test usr_ada'], 'it passes to the owner');
      await store.addEntry('cl-entries', uri('https://b.test'), HELPER);
      assert.deepEqual((await kept())[1], ['https://b.test usr_ada'], 'and not back');
      await store.addEntry('cl-entries', { list: 'customDomains', value: 'https://b.test' }, HELPER);
      await store.removeEntry('cl-entries', uri('https://b.test'));
      assert.deepEqual(await kept(), [['https://a.test'], ['https://b.test usr_eve']], 'of that list alone');
      await store.addEntry('cl-entries', uri('https://c.test'), HELPER);
      await store.update('cl-entries', {}, { redirectUris: ['https://c.test'] });
      assert.deepEqual(await kept(), [['https://a.test', 'https://c.test'], ['https://b.test usr_eve']], 'a deploy’s');
      const grown = await Promise.all(
        Array.from({ length: CALLERS }, () => store.addEntry('cl-entries', uri('https://d.test'), HELPER)),
      );
      assert.ok(grown.every(Boolean));
      assert.deepEqual((await kept())[1], ['https://b.test usr_eve', 'https://d.test usr_eve'], 'once');
      assert.equal(await store.addEntry('cl-none', uri('https://a.test'), OWNER), false);
    });

    it('removes what an org added by the revision in which it was taken out, and nothing else', async () => {
      const of = (id: string, addedBy: AddedBy | null) => clientSecret(id, { addedBy });
      await store.insert(clientRecord({ clientId: 'cl-taken', redirectUris: ['https://a.test'] }));
      await store.addSecret('cl-taken', of('sec_eve', HELPER));
      await store.addSecret('cl-taken', of('sec_deploy', null));
      const rows: readonly (readonly [string, AddedBy])[] = [
        ['https://helper.test', HELPER],
        ['https://owner.test', OWNER],
        ['https://agency.test', { ...HELPER, org: 'agency' }],
        ['https://admin.test', { org: null, actor: 'usr_root', sharingRevision: null }],
        ['https://member.test', { ...HELPER, sharingRevision: null }],
        ['https://later.test', { ...HELPER, sharingRevision: 5 }],
      ];
      for (const [value, by] of rows) {
        for (const list of ['redirectUris', 'postLogoutRedirectUris', 'customDomains'] as const)
          await store.addEntry('cl-taken', { list, value }, by);
      }
      const taken = { org: 'helpers', revision: 4 };
      for (let twice = 0; twice < 2; twice += 1) await store.removeAdditions('cl-taken', taken);
      const left = rows.map(([value]) => value).filter((value) => value !== 'https://helper.test');
      const client = await store.find('cl-taken');
      assert.deepEqual(client?.redirectUris, ['https://a.test', ...left]);
      assert.deepEqual([client?.postLogoutRedirectUris, client?.customDomains], [left, left]);
      assert.equal(client?.addedEntries.length, 3 * left.length);
      assert.deepEqual(
        client?.secrets.map(({ id }) => id),
        ['sec_deploy'],
      );
      await store.removeAdditions('cl-none', taken);
    });

    it('takes no addition that was let by a revision older than the one it knows', async () => {
      await store.insert(clientRecord({ clientId: 'cl-stale', redirectUris: [], secrets: [clientSecret('sec_1')] }));
      assert.equal((await store.raiseSharingRevision('cl-stale', 4))?.sharingRevision, 4);
      assert.equal((await store.raiseSharingRevision('cl-stale', 2))?.sharingRevision, 4, 'it never falls');
      assert.equal(await store.raiseSharingRevision('cl-none', 4), null);
      const stale = clientSecret('sec_stale', { addedBy: HELPER });
      assert.equal(await store.addEntry('cl-stale', uri('https://late.test'), HELPER), false);
      await assert.rejects(store.addSecret('cl-stale', stale), { code: 'CONFLICT' });
      await assert.rejects(store.replaceSecrets('cl-stale', stale), { code: 'CONFLICT' });
      const { redirectUris, addedEntries, secrets } = (await store.find('cl-stale')) ?? {};
      assert.deepEqual([redirectUris, addedEntries, secrets?.length], [[], [], 1]);
      const fresh = { ...HELPER, sharingRevision: 4 };
      assert.equal(await store.addEntry('cl-stale', uri('https://fresh.test'), fresh), true);
      await store.addSecret('cl-stale', clientSecret('sec_2', { addedBy: fresh }));
      await assert.rejects(store.addSecret('cl-stale', clientSecret('sec_3', { addedBy: OWNER })), {
        code: 'CLIENT_SECRETS_FULL',
      });
      await store.replaceSecrets('cl-stale', clientSecret('sec_4', { addedBy: OWNER }));
    });

    it('of additions that meet the org being taken out, none is left', async () => {
      await store.insert(clientRecord({ clientId: 'cl-meet', redirectUris: [] }));
      const takeOut = async () => {
        await store.raiseSharingRevision('cl-meet', 4);
        await store.removeAdditions('cl-meet', { org: 'helpers', revision: 4 });
      };
      await atOnce(async (caller) => {
        if (caller === 5) return takeOut();
        if (caller % 2 === 0) return store.addEntry('cl-meet', uri(`https://${caller}.test`), HELPER);
        return store.addSecret('cl-meet', clientSecret(`sec_${caller}`, { addedBy: HELPER })).catch(() => undefined);
      });
      const { redirectUris, addedEntries, secrets } = (await store.find('cl-meet')) ?? {};
      assert.deepEqual([redirectUris, addedEntries, secrets], [[], [], []]);
    });

    it('notes the use of a secret at most once a minute, and of that secret alone', async () => {
      await store.insert(
        clientRecord({ clientId: 'cl-touch', secrets: [clientSecret('sec_1'), clientSecret('sec_2')] }),
      );
      const used = async () => (await store.find('cl-touch'))?.secrets.map((secret) => secret.lastUsedAt);
      await store.touchSecret('cl-touch', 'sec_2', at(5));
      await store.touchSecret('cl-touch', 'sec_2', at(64));
      assert.deepEqual(await used(), [null, at(5)]);
      await store.touchSecret('cl-touch', 'sec_2', at(65));
      assert.deepEqual(await used(), [null, at(65)]);
      await store.touchSecret('cl-touch', 'sec_none', at(99));
      assert.deepEqual(await used(), [null, at(65)]);
    });

    it('lists by id the clients of an org and those named besides, in pages that miss and repeat nothing', async () => {
      for (const id of ['p3', 'p1', 'p2']) await store.insert(clientRecord({ clientId: `cl-${id}`, orgSlug: 'paged' }));
      await store.insert(clientRecord({ clientId: 'cl-p0', orgSlug: 'other' }));
      const ids = async (orgSlug: string | null, clientIds: string[]) =>
        (await allPages((page) => store.list({ orgSlug, clientIds }, page), 2)).map((client) => client.clientId);
      assert.deepEqual(await ids('paged', []), ['cl-p1', 'cl-p2', 'cl-p3']);
      assert.deepEqual(await ids('paged', ['cl-p0', 'cl-p1', 'cl-none']), ['cl-p0', 'cl-p1', 'cl-p2', 'cl-p3']);
      for (const hostile of HOSTILE) assert.deepEqual(await ids(hostile, [hostile]), [], hostile);
      const all = await ids(null, []);
      assert.ok(['cl-p0', 'cl-p3', 'cl-race'].every((id) => all.includes(id)));
      assert.deepEqual(all, [...all].sort());
    });

    it('keeps kinds of mail whatever they are called', async () => {
      const mailTemplates = Object.fromEntries(HOSTILE.map((kind) => [kind, { subject: kind, text: 'x' }]));
      await store.insert(clientRecord({ clientId: 'cl-mail', mailTemplates }));
      assert.deepEqual((await store.find('cl-mail'))?.mailTemplates, mailTemplates);
      assert.deepEqual((await store.update('cl-mail', { mailTemplates: {} }))?.mailTemplates, {});
      assert.deepEqual((await store.update('cl-mail', { mailTemplates }))?.mailTemplates, mailTemplates);
    });

    it('a client is removed once, and then is no more', async () => {
      await store.insert(clientRecord({ clientId: 'cl-gone' }));
      assert.equal(await winners(() => store.remove('cl-gone')), 1);
      assert.equal(await store.find('cl-gone'), null);
    });
  });
}
