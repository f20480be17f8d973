import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { type ConsolePeople, createConsolePeople, submitted, wordsOf } from '../../support/console-people.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';

describe('the pages of people', () => {
  let idp: TestIdp;
  let people: ConsolePeople;
  let root: UserRecord;
  let ann: UserRecord;
  let ben: UserRecord;
  before(async () => {
    idp = await startIdp();
    people = createConsolePeople(idp);
    await idp.seedOrg('acme');
    root = await idp.seedUser('root@platform.example', { org: 'platform', platformRoles: ['super_admin'] });
    ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['admin'] });
    ben = await idp.seedUser('ben@acme.example', { org: 'acme', fields: { firstName: '<u>Ben</u>\u202e' } });
  });
  after(async () => {
    await people?.stop();
    await idp?.stop();
  });

  const stored = async (user: UserRecord) => await idp.deps.users.find(user.id);

  it('are for super admins alone: an admin of an org has neither the page nor its forms', async () => {
    const browser = await people.browserOf(ann);
    for (const page of ['/people', `/people/${ben.id}`]) {
      const { status, text } = await browser.get(page);
      assert.equal(status, 403, page);
      assert.doesNotMatch(text, /ben@acme/, page);
    }
    assert.doesNotMatch((await browser.get('/orgs')).text, /href="\/people"/);
    const before = JSON.stringify({ platformRoles: [] });
    const forms = ['suspend', 'restore', 'sessions/end', 'sessions/ses_x/end', 'reset-second-factor', 'name'];
    for (const rest of [...forms, 'platform-roles']) {
      const sent = await browser.submit('/orgs', `/people/${ann.id}/${rest}`, { before, 'role.super_admin': 'on' });
      assert.equal(sent.status, 403, rest);
    }
    assert.deepEqual((await stored(ann))?.platformRoles, []);
  });

  it('find people by how their address begins, and show their names as text', async () => {
    const browser = await people.browserOf(root);
    const found = await browser.get('/people?query=ben%40');
    assert.match(found.text, /&lt;u&gt;Ben&lt;\/u&gt;⟦U\+202E⟧/);
    assert.doesNotMatch(found.text, /ann@acme\.example|<u>Ben/);
    assert.match((await browser.get('/people?query=nobody')).text, /Nobody was found/);
  });

  it('answer 404 for a person who does not exist', async () => {
    const browser = await people.browserOf(root);
    assert.equal((await browser.get('/people/usr_none')).status, 404);
  });

  it('suspend and restore an account, and change its name and platform roles', async () => {
    const browser = await people.browserOf(root);
    const page = `/people/${ben.id}`;
    assert.match(await submitted(browser, page, `${page}/suspend`), /Suspended/);
    assert.ok((await stored(ben))?.suspendedAt);
    assert.match(await submitted(browser, page, `${page}/restore`), /Active/);
    await submitted(browser, page, `${page}/name`, { firstName: 'Benjamin', lastName: 'Fox' });
    assert.equal((await stored(ben))?.firstName, 'Benjamin');
    const wrong = await submitted(browser, page, `${page}/name`, { firstName: 'http://x', lastName: 'Fox' });
    assert.match(wrong, /value="http:\/\/x"[^>]*aria-invalid="true"/);
    const before = JSON.stringify({ platformRoles: [] });
    await submitted(browser, page, `${page}/platform-roles`, { before, 'role.developer': 'on' });
    assert.deepEqual((await stored(ben))?.platformRoles, ['developer']);
    const late = await submitted(browser, page, `${page}/platform-roles`, { before, 'role.super_admin': 'on' });
    assert.match(wordsOf(late), /meanwhile|by now|same time/);
    assert.deepEqual((await stored(ben))?.platformRoles, ['developer']);
  });

  it('end one session of a person, and all of them', async () => {
    const theirs = await people.browserOf(ann);
    assert.equal((await theirs.get('/orgs')).status, 200);
    const browser = await people.browserOf(root);
    const page = `/people/${ann.id}`;
    const { text } = await browser.get(page);
    const [, sessionId = ''] = /sessions\/(ses_\w+)\/end/.exec(text) ?? [];
    assert.match(text, /fairlead-cli/);
    assert.match(await submitted(browser, page, `${page}/sessions/${sessionId}/end`), /The session is over/);
    const ended = await submitted(browser, page, `${page}/sessions/end`);
    assert.match(ended, /Not signed in anywhere/);
    assert.equal((await theirs.get('/orgs')).status, 401, 'the console asks them to sign in again');
  });

  it('offer nobody to reset their own second factor', async () => {
    const browser = await people.browserOf(root);
    const own = await browser.get(`/people/${root.id}`);
    assert.doesNotMatch(own.text, /reset-second-factor/);
    const page = `/people/${ann.id}`;
    assert.match(wordsOf(await submitted(browser, page, `${page}/reset-second-factor`)), /no second factor to reset/);
  });
});
