import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { TokenVerifier } from '../../../sdk/index.ts';
import {
  type ConsolePeople,
  createConsolePeople,
  submitted,
  verifierOf,
  wordsOf,
} from '../../support/console-people.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';

const PAGE = '/services/shop/sharing';

describe('the page of orgs that share a service', () => {
  let idp: TestIdp;
  let api: TestApi;
  let verifier: TokenVerifier;
  let people: ConsolePeople;
  let ann: UserRecord;
  let dan: UserRecord;
  let eve: UserRecord;
  before(async () => {
    idp = await startIdp();
    verifier = verifierOf(idp, 'builder');
    api = await startApi({ verifier, issuer: idp.issuer });
    people = createConsolePeople(idp, { builder: api.address });
    for (const org of ['acme', 'partner', 'rival']) await idp.seedOrg(org);
    ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['admin'] });
    dan = await idp.seedUser('dan@partner.example', { org: 'partner', orgRoles: ['admin'] });
    eve = await idp.seedUser('eve@rival.example', { org: 'rival', orgRoles: ['admin'] });
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  });
  after(async () => {
    await people?.stop();
    verifier?.close();
    await api?.stop();
    await idp?.stop();
  });

  const sharing = async () => (await api.services.find('shop'))?.authorizedOrgs;

  it('is not there for an org that neither owns nor shares the service, nor are its forms', async () => {
    const browser = await people.browserOf(eve);
    assert.equal((await browser.get(PAGE)).status, 404);
    for (const [action, fields] of [
      [PAGE, { orgSlug: 'rival', repoRole: 'admin' }],
      [`${PAGE}/partner/remove`, {}],
    ] as const) {
      assert.match(wordsOf(await submitted(browser, '/orgs', action, fields)), /There is nothing here/);
    }
    assert.deepEqual(await sharing(), []);
  });

  it('lets an admin of the owner let an org in, and take it out; the history says so', async () => {
    const browser = await people.browserOf(ann);
    assert.match((await browser.get(PAGE)).text, /Shared with nobody/);
    const refused = await submitted(browser, PAGE, PAGE, { orgSlug: 'nobody', repoRole: 'read' });
    assert.match(wordsOf(refused), /no org nobody/);
    assert.match(refused, /value="nobody"/);
    assert.match(await submitted(browser, PAGE, PAGE, { orgSlug: 'partner', repoRole: 'read' }), /partner shares/);
    assert.deepEqual(await sharing(), ['partner']);

    const theirs = await people.browserOf(dan);
    const seen = await theirs.get(PAGE);
    assert.equal(seen.status, 200);
    assert.doesNotMatch(seen.text, /action="\/services/, 'who shares it decides nothing');
    const forbidden = await submitted(theirs, PAGE, PAGE, { orgSlug: 'rival', repoRole: 'read' });
    assert.match(wordsOf(forbidden), /decide which orgs share it/);

    const out = await submitted(browser, PAGE, `${PAGE}/partner/remove`);
    assert.match(out, /partner is out/);
    assert.match(out, /Taken out/);
    assert.deepEqual(await sharing(), []);
    assert.equal((await theirs.get(PAGE)).status, 404);
  });
});
