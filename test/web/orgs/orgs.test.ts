import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { type ConsolePeople, createConsolePeople, submitted, wordsOf } from '../../support/console-people.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';

/** Written by somebody who would like to be read as something else. */
const HOSTILE = '<img src=x onerror=alert(1)>"\'\u202egnp.exe\u0007';

/** The pages of orgs before the real provider. */
describe('the pages of orgs', () => {
  let idp: TestIdp;
  let people: ConsolePeople;
  let ann: UserRecord;
  let ben: UserRecord;
  let eve: UserRecord;
  let root: UserRecord;
  before(async () => {
    idp = await startIdp();
    people = createConsolePeople(idp);
    await idp.seedOrg('acme', { modules: ['billing'] });
    await idp.seedOrg('beta');
    await idp.seedOrg('rival', { name: `Rival ${HOSTILE}` });
    ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['admin'] });
    ben = await idp.seedUser('ben@acme.example', { org: 'acme', orgRoles: ['viewer'], fields: { firstName: HOSTILE } });
    eve = await idp.seedUser('eve@rival.example', { org: 'rival', orgRoles: ['admin'] });
    root = await idp.seedUser('root@platform.example', { org: 'platform', platformRoles: ['super_admin'] });
  });
  after(async () => {
    await people?.stop();
    await idp?.stop();
  });

  const membership = async (user: UserRecord, slug: string) => {
    const org = await idp.deps.orgs.find(slug);
    return org === null ? null : await idp.deps.memberships.find(user.id, org.id);
  };

  it('show an admin the people of the org, and how to invite, change and remove them', async () => {
    const browser = await people.browserOf(ann);
    const { status, text } = await browser.get('/orgs/acme');
    assert.equal(status, 200);
    assert.match(text, /ben@acme\.example/);
    assert.match(text, /action="\/orgs\/acme\/invites"/);
    assert.match(text, /href="\/orgs\/acme\/settings"/);
    const member = await browser.get(`/orgs/acme/members/${ben.id}`);
    for (const rest of ['rights', 'suspend', 'remove', 'reset-second-factor']) {
      assert.match(member.text, new RegExp(`action="/orgs/acme/members/${ben.id}/${rest}"`));
    }
  });

  it('show a viewer no form that the provider would refuse them', async () => {
    const browser = await people.browserOf(ben);
    const { status, text } = await browser.get('/orgs/acme');
    assert.equal(status, 200);
    assert.doesNotMatch(text, /action="\/orgs\/acme\/(?:invites|settings)/);
    assert.doesNotMatch(text, /href="\/orgs\/acme\/(?:settings|activity)"/);
    assert.equal((await browser.get('/orgs/acme/settings')).status, 403);
    assert.equal((await browser.get('/orgs/acme/activity')).status, 403);
    const list = await browser.get('/orgs');
    assert.doesNotMatch(list.text, /Create an organisation|All organisations/);
  });

  it('answer 404 for every address of an org that the person is not in', async () => {
    const browser = await people.browserOf(eve);
    const own = `/orgs/rival`;
    const pages = ['/orgs/acme', '/orgs/acme/settings', '/orgs/acme/activity', `/orgs/acme/members/${ben.id}`];
    for (const page of [...pages, '/orgs/none', `/orgs/rival/members/${ben.id}`]) {
      const { status, text } = await browser.get(page);
      assert.equal(status, 404, page);
      assert.doesNotMatch(text, /Org acme|ben@acme|billing/, page);
    }
    const member = `/orgs/acme/members/${ben.id}`;
    const before = JSON.stringify({ roles: ['viewer'], modules: [] });
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      ['/orgs/acme/choose', {}],
      ['/orgs/acme/invites', { email: 'x@rival.example', role: 'admin' }],
      ['/orgs/acme/invites/inv_none/withdraw', {}],
      [`${member}/rights`, { role: 'admin', before }],
      ...['suspend', 'restore', 'remove', 'reset-second-factor', 'sessions/end', 'sessions/ses_x/end'].map(
        (rest) => [`${member}/${rest}`, {}] as const,
      ),
      ['/orgs/acme/settings/policy', { 'policy.sessionHours': '1' }],
      ['/orgs/acme/settings/name', { name: 'Taken' }],
      [
        '/orgs/acme/settings/look',
        { 'whiteLabel.emailFromName': 'x', 'whiteLabel.logoUrl': '', 'whiteLabel.primaryColor': '' },
      ],
      ['/orgs/acme/settings/grants', { clientId: 'x' }],
      ['/orgs/acme/settings/grants/x/revoke', {}],
    ];
    for (const [action, fields] of forms) {
      const sent = await browser.submit(own, action, fields);
      assert.equal(sent.status, 303, action);
      const landed = await browser.get(sent.headers.get('location') ?? '');
      assert.match(wordsOf(landed.text), /no such org|There is nothing here/i, action);
    }
    for (const action of ['modules', 'suspend', 'restore']) {
      const sent = await browser.submit(own, `/orgs/rival/settings/${action}`, { modules: 'billing' });
      assert.equal(sent.status, 403, action);
    }
    assert.deepEqual((await membership(ben, 'acme'))?.roles, ['viewer']);
    assert.equal((await idp.deps.orgs.find('acme'))?.name, 'Org acme');
  });

  it('show names of people and orgs as text, with characters that cannot be seen written out', async () => {
    const browser = await people.browserOf(ann);
    const { text } = await browser.get('/orgs/acme');
    assert.doesNotMatch(text, /<img src=x|\u202e/);
    assert.match(text, /&lt;img src=x onerror=alert\(1\)&gt;/);
    assert.match(text, /⟦U\+202E⟧gnp\.exe⟦U\+0007⟧/);
    const rival = await (await people.browserOf(eve)).get('/orgs/rival');
    assert.doesNotMatch(rival.text, /<img src=x|\u202e/);
  });

  it('invite by mail, and by a link that is shown once', async () => {
    const browser = await people.browserOf(ann);
    const sent = await submitted(browser, '/orgs/acme', '/orgs/acme/invites', {
      email: 'New@acme.example',
      role: 'member',
    });
    assert.match(sent, /An invitation is on its way to new@acme\.example/);
    assert.match(sent, /<th scope="row" class="main">new@acme\.example/);
    const shown = await browser.submit('/orgs/acme', '/orgs/acme/invites', {
      ...{ email: 'hand@acme.example', role: 'viewer', byHand: 'on' },
    });
    assert.equal(shown.status, 200);
    const [, token = ''] = /invites\/accept\?token=([\w-]+)/.exec(shown.text) ?? [];
    assert.ok(token.length > 20);
    assert.equal(shown.headers.get('cache-control'), 'no-store');
    const later = (await browser.get('/orgs/acme')).text;
    assert.match(later, /hand@acme\.example/);
    assert.equal(later.includes(token), false);
    assert.equal(browser.logged.join().includes(token), false);
    const refused = await submitted(browser, '/orgs/acme', '/orgs/acme/invites', {
      email: 'no address',
      role: 'viewer',
    });
    assert.match(refused, /value="no address"[^>]*aria-invalid="true"/);
  });

  it('change a role on the condition that it is still what the page showed', async () => {
    const carl = await idp.seedUser('carl@acme.example', { org: 'acme', orgRoles: ['viewer'] });
    const browser = await people.browserOf(ann);
    const page = `/orgs/acme/members/${carl.id}`;
    const before = JSON.stringify({ roles: ['viewer'], modules: [] });
    const rights = { role: 'member', 'module.billing': 'on', before };
    assert.match(await submitted(browser, page, `${page}/rights`, rights), /is saved/);
    const changed = await membership(carl, 'acme');
    assert.deepEqual([changed?.roles, changed?.modules], [['member'], ['billing']]);
    const late = await submitted(browser, page, `${page}/rights`, { role: 'admin', before });
    assert.match(wordsOf(late), /Somebody changed this member meanwhile/);
    assert.deepEqual((await membership(carl, 'acme'))?.roles, ['member']);
    assert.match(await submitted(browser, page, `${page}/suspend`), /Suspended/);
    assert.match(await submitted(browser, page, `${page}/restore`), /Active/);
    assert.doesNotMatch(await submitted(browser, page, `${page}/remove`), /carl@acme/);
    assert.equal(await membership(carl, 'acme'), null);
  });

  it('keep the last admin', async () => {
    const browser = await people.browserOf(ann);
    const page = `/orgs/acme/members/${ann.id}`;
    assert.match(wordsOf(await submitted(browser, page, `${page}/remove`)), /must keep an admin/);
  });

  it('set what the org asks of logins, and show a wrong value with its reason at its field', async () => {
    const browser = await people.browserOf(eve);
    const page = '/orgs/rival/settings';
    assert.match(await submitted(browser, page, `${page}/policy`, { 'policy.sessionHours': '12' }), /Saved/);
    assert.deepEqual((await idp.deps.orgs.find('rival'))?.policy, { secondFactorRequired: false, sessionHours: 12 });
    const wrong = await submitted(browser, page, `${page}/policy`, { 'policy.sessionHours': '999' });
    assert.match(wrong, /value="999"[^>]*aria-invalid="true"/);
    const locked = await submitted(browser, page, `${page}/policy`, {
      ...{ secondFactorRequired: 'on', 'policy.sessionHours': '' },
    });
    assert.match(wordsOf(locked), /Your own login does not meet this policy/);
    const look = { 'whiteLabel.emailFromName': 'Rival', 'whiteLabel.logoUrl': '', 'whiteLabel.primaryColor': 'red' };
    assert.match(await submitted(browser, page, `${page}/look`, look), /value="red"[^>]*aria-invalid="true"/);
    assert.match(await submitted(browser, page, `${page}/name`, { name: 'Rival Ltd' }), /<h1>Settings<\/h1>/);
    assert.equal((await idp.deps.orgs.find('rival'))?.name, 'Rival Ltd');
    const { text: activity } = await browser.get('/orgs/rival/activity');
    assert.match(activity, /org\.changed/);
    assert.match(activity, />you</);
    assert.doesNotMatch(activity, />usr_/);
  });

  it('let a person act in another org of theirs: the next page is of that org', async () => {
    const dora = await idp.seedUser('dora@acme.example', { org: 'acme', orgRoles: ['viewer'] });
    const beta = await idp.deps.orgs.find('beta');
    assert.ok(beta);
    await idp.deps.memberships.put({
      ...{ userId: dora.id, orgId: beta.id, orgSlug: 'beta', roles: ['member'], modules: [] },
      ...{ suspendedAt: null, createdAt: new Date(), updatedAt: new Date() },
    });
    const browser = await people.browserOf(dora);
    assert.match((await browser.get('/orgs')).text, /class="who-org">acme · viewer</);
    assert.match(await submitted(browser, '/orgs', '/orgs/beta/choose'), /class="who-org">beta · member</);
  });

  it('let super admins create an org, suspend it, and set its modules', async () => {
    const browser = await people.browserOf(root);
    const made = await submitted(browser, '/orgs', '/orgs', { name: 'Gamma', slug: 'gamma' });
    assert.match(made, /invite its first admin/);
    const taken = await submitted(browser, '/orgs', '/orgs', { name: 'Gamma', slug: 'gamma' });
    assert.match(wordsOf(taken), /An org called gamma exists already/);
    assert.match(taken, /value="gamma"/);
    await submitted(browser, '/orgs/gamma', '/orgs/gamma/settings/modules', { modules: 'billing  reports' });
    assert.deepEqual((await idp.deps.orgs.find('gamma'))?.modules, ['billing', 'reports']);
    assert.match(await submitted(browser, '/orgs/gamma', '/orgs/gamma/settings/suspend'), /is suspended/);
    assert.ok((await idp.deps.orgs.find('gamma'))?.suspendedAt);
    const list = await browser.get('/orgs');
    assert.match(list.text, /All organisations/);
    assert.match(list.text, /href="\/orgs\/gamma"/);
  });
});
