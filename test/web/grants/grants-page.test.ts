import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { grantRecord } from '../../ports/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';

/** `shop` of org `other` asks for scopes of `notes` of `acme`. */
const DECIDER = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['admin'] };
const ASKER = { sub: 'usr_eve', orgSlug: 'other', orgRoles: ['admin'] };

describe('grants in the console', () => {
  let on: ConsoleOnBuilder;
  before(async () => {
    on = await startConsoleOnBuilder();
    await on.builder.services.upsert({ id: 'svc_notes', name: 'notes', org: 'acme' }, {});
    await on.builder.services.upsert({ id: 'svc_shop', name: 'shop', org: 'other' }, {});
  });
  after(() => on.stop());
  beforeEach(async () => {
    for (const { id } of await on.builder.grants.ofService('svc_shop')) await on.builder.grants.remove(id);
    await on.builder.grants.insert(grantRecord({ id: 'sgr_1', scopes: ['notes:read', 'notes:write'] }));
  });

  const textOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  const statusNow = async () => (await on.builder.grants.find('sgr_1'))?.status;
  const decide = async (decision: string, person: object = DECIDER, revision?: number) => {
    const browser = await on.browseAs({ ...person });
    const seen = revision ?? (await on.builder.grants.find('sgr_1'))?.revision ?? 0;
    const sent = await browser.submit('/grants', `/grants/sgr_1/${decision}`, { revision: String(seen) });
    return { sent, page: await browser.get('/grants') };
  };

  it('says who asks whom for what, and lets the org that is asked decide', async () => {
    const { text } = await (await on.browseAs(DECIDER)).get('/grants');
    assert.match(
      textOf(text),
      /The service shop of other asks for scopes of notes of acme in prod: notes:read notes:write Asked .* by usr_eve Approve Deny/,
    );
    const approved = await decide('approve');
    assert.deepEqual([await statusNow(), approved.sent.headers.get('location')], ['approved', '/grants']);
    assert.match(textOf(approved.page.text), /The grant is approved: the next deploy goes on/);
    assert.match(textOf(approved.page.text), /decided .* by you Revoke/);
    await decide('revoke');
    assert.equal(await statusNow(), 'revoked');
    await decide('approve');
    assert.equal(await statusNow(), 'approved');
  });

  it('shows the org that asks what became of it, and lets it decide nothing', async () => {
    const { text } = await (await on.browseAs(ASKER)).get('/grants');
    assert.match(textOf(text), /Waits for a decision .* by you/);
    assert.doesNotMatch(text, /grants\/sgr_1\//);
    const forced = await decide('approve', ASKER);
    assert.match(textOf(forced.page.text), /Only admins of acme decide/);
    assert.equal(await statusNow(), 'pending');
    assert.equal((await decide('approve', { ...DECIDER, orgRoles: ['member'] })).sent.status, 403);
    assert.equal(await statusNow(), 'pending');
  });

  it('decides what the page showed, and not what is asked for by now', async () => {
    const seen = grantRecord({ id: 'sgr_1' }).revision;
    await on.builder.grants.replace(grantRecord({ id: 'sgr_1', scopes: ['notes:admin'], revision: seen + 1 }), seen);
    const { page } = await decide('approve', DECIDER, seen);
    assert.match(textOf(page.text), /was changed meanwhile, and asks for notes:admin now/);
    assert.equal(await statusNow(), 'pending');
  });

  it('is not there for others: neither the grant nor its decision', async () => {
    const stranger = { sub: 'usr_mal', orgSlug: 'strangers', orgRoles: ['admin'] };
    const { sent, page } = await decide('approve', stranger);
    assert.equal(sent.status, 303);
    assert.match(textOf(page.text), /There is no grant sgr_1/);
    assert.doesNotMatch(textOf(page.text), /notes:read|The service shop/);
    assert.equal(await statusNow(), 'pending');
  });

  it('keeps to one state, and says where there are none', async () => {
    const browser = await on.browseAs(DECIDER);
    assert.match(textOf((await browser.get('/grants?status=denied')).text), /No grants here/);
    assert.match(textOf((await browser.get('/grants?status=pending')).text), /notes:write/);
    assert.equal((await browser.get('/grants?status=lost')).status, 400);
  });
});
