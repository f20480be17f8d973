import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { cookieName } from '../../../../api/identity/login/cookies.ts';
import { sendMail } from '../../../../api/identity/mail/send-mail.ts';
import type { PlatformRole } from '../../../../domain/roles.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createCallers } from '../../orgs/callers.ts';
import { createLogins } from '../oauth/logins.ts';

let idp: TestIdp;
let outboxId: string;

before(async () => {
  idp = await startIdp();
  const data = { name: '<b>Ada</b>', link: 'https://id.example/login/magic?token=flot_secret', expiresAt: new Date() };
  await sendMail(idp.deps, { kind: 'magic_link', to: 'ada@example.com', client: null, org: null, user: null, data });
  outboxId = idp.mailbox[0]?.id ?? '';
});
after(() => idp.stop());

async function session(platformRoles: readonly PlatformRole[]): Promise<Record<string, string>> {
  const user = await idp.seedUser(`${platformRoles.join('')}x@example.com`, { org: 'platform', platformRoles });
  const secret = idp.deps.tokens.create('flss_');
  const record = await createLogins(idp).seedSession(user);
  await idp.deps.sessions.insert({
    ...record,
    id: idp.deps.newId('session'),
    secretHash: idp.deps.tokens.hash(secret),
  });
  return { cookie: `${cookieName(idp.deps.settings, 'session')}=${secret}` };
}

test('only the session of a super admin reads captured mail', async () => {
  const callers = createCallers(idp);
  const root = await callers.person({ platformRoles: ['super_admin'] });
  const refused: Record<string, string>[] = [{}, idp.internal, { ...root.headers }, await session(['developer'])];
  for (const headers of refused) {
    for (const path of ['/outbox', `/outbox/${outboxId}`]) {
      const { status, text } = await idp.call('GET', path, { headers });
      assert.equal(status, 404);
      assert.doesNotMatch(text, /flot_secret|ada@example/);
    }
  }
  const headers = await session(['super_admin']);
  const list = await idp.call('GET', '/outbox', { headers });
  assert.equal(list.status, 200);
  assert.match(list.text, new RegExp(`href="/outbox/${outboxId}"`));
  assert.doesNotMatch(list.text, /flot_secret/);
  const mail = await idp.call('GET', `/outbox/${outboxId}`, { headers });
  assert.match(mail.text, /<a href="https:\/\/id\.example\/login\/magic\?token=flot_secret"/);
  assert.match(mail.text, /&lt;b&gt;Ada&lt;\/b&gt;/);
  assert.match(mail.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(mail.headers.get('cache-control'), 'no-store');
  assert.equal((await idp.call('GET', '/outbox/eml_none', { headers })).status, 404);
});

test('a request from loopback without a credential identifies no caller', async () => {
  const { port } = new URL(idp.address);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
    for (const path of ['/outbox', `/outbox/${outboxId}`]) assert.equal(await statusOf(path, { host }), 404, host);
  }
});

/** `fetch` chooses the Host header itself. */
function statusOf(path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(idp.address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}
