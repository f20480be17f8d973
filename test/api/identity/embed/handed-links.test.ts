import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRecoveryCodes, createTotp } from '../../../../api/identity/login/second-factor.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { newMembership } from '../../../../domain/orgs/new-org.ts';
import type { OrgRecord } from '../../../../domain/orgs/org.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createBrowser, type Page } from '../pages/browse.ts';
import { meanwhile } from '../revocation/meanwhile.ts';
import { type Headless, ORIGIN, PASSWORD, seedHeadless } from './embed-fixture.ts';

const NEW = 'a sentence that the client chose';

describe('a reset link that a client was handed', () => {
  let idp: TestIdp;
  let shop: Headless;
  let beta: OrgRecord;
  before(async () => {
    idp = await startIdp();
    shop = await seedHeadless(idp, 'acme');
    beta = await idp.seedOrg('beta');
  });
  after(() => idp.stop());

  let people = 0;
  const person = (emailVerified = false): Promise<UserRecord> => {
    people += 1;
    return idp.seedUser(`person-${people}@example.com`, { password: PASSWORD, org: 'acme', fields: { emailVerified } });
  };
  const join = ({ id }: UserRecord) =>
    idp.deps.memberships.put(newMembership(id, beta, { roles: ['member'], modules: [] }, idp.deps.now()));
  const handed = async ({ email }: UserRecord, more: Record<string, unknown> = {}) => {
    const { status, body } = await shop.call('forgot-password', { email, sendEmail: false, ...more });
    assert.equal(status, 200);
    return body as { resetToken: string; resetUrl: string };
  };
  /** The client opens the link itself, as it can. */
  async function useOnProvidersPage(resetUrl: string): Promise<Page> {
    const browser = createBrowser(idp);
    const { pathname, search } = new URL(resetUrl);
    return browser.submit(await browser.open(pathname + search), '/login/reset', { password: NEW });
  }
  const hashOf = async ({ id }: UserRecord) => (await idp.deps.users.find(id))?.passwordHash;

  it('sets the password on the provider’s page, and confirms no address and strips no second factor', async () => {
    const user = await person();
    const totp = createTotp(idp.deps, user.id);
    await idp.deps.users.setTotp(user.id, totp);
    await idp.deps.users.confirmTotp(user.id, totp.secret, 0, idp.deps.now(), idp.deps.now());
    await idp.deps.users.update(user.id, { recoveryCodes: createRecoveryCodes(idp.deps).hashes });
    const { resetUrl } = await handed(user);
    assert.equal((await useOnProvidersPage(resetUrl)).status, 303);
    const { emailVerified, totp: kept, recoveryCodes } = (await idp.deps.users.find(user.id)) ?? {};
    assert.deepEqual([emailVerified, kept?.secret, recoveryCodes?.length], [false, totp.secret, 10]);
    assert.equal((await createBrowser(idp).logIn(user.email, NEW)).title, 'One more step');
  });

  it('is refused on the provider’s page once the client manages the person no more', async () => {
    const [joined, unswitched] = [await person(), await person()];
    const first = await handed(joined);
    await join(joined);
    assert.equal((await useOnProvidersPage(first.resetUrl)).title, 'This link no longer works');
    assert.equal(await hashOf(joined), joined.passwordHash);

    const second = await handed(unswitched);
    await idp.deps.clients.update(shop.clientId, { selfServiceEmail: false });
    assert.equal((await useOnProvidersPage(second.resetUrl)).title, 'This link no longer works');
    assert.equal(await hashOf(unswitched), unswitched.passwordHash);
    await idp.deps.clients.update(shop.clientId, { selfServiceEmail: true });
  });

  it('is refused to the client when the person joins another org at the moment of its use', async () => {
    for (const more of [{}, { resetBaseUrl: `${ORIGIN}/reset` }]) {
      const user = await person();
      const { resetToken } = await handed(user, more);
      meanwhile(idp.deps, 'links', 'consume', () => join(user), 'after');
      const { status, body } = await shop.call('reset-password', { token: resetToken, password: NEW });
      assert.deepEqual([status, body.error?.code], [400, 'LINK_INVALID']);
      assert.equal(await hashOf(user), user.passwordHash);
    }
  });

  it('while one that was mailed to the person confirms the address', async () => {
    const user = await person();
    await shop.call('forgot-password', { email: user.email, sendEmail: true });
    await idp.deps.mailQueue.idle();
    const mail = idp.mailbox.findLast(({ to }) => to === user.email)?.text ?? '';
    assert.equal((await useOnProvidersPage(/https?:\S+\/login\/reset\?token=\S+/.exec(mail)?.[0] ?? '')).status, 303);
    assert.equal((await idp.deps.users.find(user.id))?.emailVerified, true);
  });
});
