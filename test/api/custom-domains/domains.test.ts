import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createServedDomains } from '../../../adapters/builder/served-domains.ts';
import { INGRESS } from '../../support/custom-domains-parts.ts';
import { KEY, startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
  await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  await api.services.upsert({ id: 'svc_blog', name: 'blog', org: 'globex' }, {});
});
after(() => api.stop());

const ACME = { 'x-test-user': 'acme/member/usr_ann' };
const GLOBEX = { 'x-test-user': 'globex/member/usr_bob' };
const HERE = { type: 'A', content: INGRESS } as const;
const add = (domain: string, body: object = {}, headers: Record<string, string> = ACME) =>
  api.call('POST', '/domains/add', { service: 'shop', domain, mode: 'direct', ...body }, headers);
const status = (domain: string, headers = ACME) => api.call('GET', `/domains/${domain}/status`, undefined, headers);

it('a name is added with the records to set, and is normalised', async () => {
  const { status: code, body } = await add(' Shop.Added.COM. ');
  assert.equal(code, 200);
  const { domain, service, environment, mode, dnsProvider, state, records, expectedTarget, dnsVerified } = body.data;
  assert.deepEqual(
    { domain, service, environment, mode, dnsProvider, state, expectedTarget, dnsVerified },
    {
      ...{ domain: 'shop.added.com', service: 'shop', environment: 'prod', mode: 'direct', dnsProvider: 'direct' },
      ...{ state: 'pending-dns', expectedTarget: INGRESS, dnsVerified: false },
    },
  );
  assert.deepEqual(records, [{ type: 'A', name: 'shop.added.com', value: INGRESS }]);
  assert.equal((await api.domains.find('shop.added.com'))?.holder?.addedBy, 'usr_ann');
});

it('a bad name is 400 with what to do about it, and nothing is kept', async () => {
  const { status: code, body } = await add('https://shop.bad.com/');
  assert.deepEqual([code, body.error.code], [400, 'VALIDATION_FAILED']);
  assert.match(body.error.message, /leave out what stands before the name/);
  assert.deepEqual(body.error.details[0].field, 'domain');
});

it('the platform\u2019s own names are refused', async () => {
  const { status: code, body } = await add('shop.apps.fairlead.dev');
  assert.deepEqual([code, body.error.code], [400, 'VALIDATION_FAILED']);
});

it('a name that another has answers 409 and names nobody', async () => {
  await add('taken.owned.com');
  const { status: code, body, text } = await add('taken.owned.com', { service: 'blog' }, GLOBEX);
  assert.deepEqual([code, body.error.code], [409, 'DOMAIN_TAKEN']);
  for (const secret of ['shop', 'acme', 'svc_', 'usr_ann']) assert.ok(!text.includes(secret), secret);
  assert.match(body.error.details.proof.value, /^fairlead-verify=/);
});

it('a name of another org is not there: status, verify and removal answer 404', async () => {
  await add('mine.hidden.com');
  for (const [method, path] of [
    ['GET', '/domains/mine.hidden.com/status'],
    ['POST', '/domains/mine.hidden.com/verify'],
    ['DELETE', '/domains/mine.hidden.com'],
    ['GET', '/domains/never.hidden.com/status'],
  ] as const) {
    const { status: code, body } = await api.call(method, path, undefined, GLOBEX);
    assert.deepEqual([code, body.error.code], [404, 'DOMAIN_NOT_FOUND'], path);
  }
  assert.equal((await add('x.hidden.com', {}, GLOBEX)).body.error.code, 'SERVICE_NOT_FOUND');
  assert.ok((await api.domains.find('mine.hidden.com'))?.holder);
});

it('status looks, verify leads there, and removal undoes it', async () => {
  const domain = 'live.served.com';
  await add(domain);
  api.names.dns.lead(domain, HERE);
  const verify = () => api.call('POST', `/domains/${domain}/verify`, undefined, ACME);
  // Its certificate is asked for once the DNS leads here.
  assert.equal((await verify()).body.data.state, 'pending-certificate');
  const verified = await verify();
  assert.deepEqual([verified.body.data.state, verified.body.data.message], ['active', null]);
  assert.equal(verified.body.data.resolvedTarget, `A ${INGRESS}`);
  const { body } = await status(domain);
  assert.deepEqual([body.data.state, body.data.dnsVerified], ['active', true]);
  const removed = await api.call('DELETE', `/domains/${domain}`, undefined, ACME);
  assert.deepEqual([removed.status, removed.body.data], [200, { domain, state: 'removed' }]);
  assert.equal((await status(domain)).status, 404);
  assert.deepEqual(await api.names.deps.hosts.list(), []);
});

it('while nobody looks, the last known is told with its time', async () => {
  const domain = 'away.served.com';
  api.names.dns.fail(domain, 'ETIMEOUT');
  await add(domain);
  const { status: code, body } = await status(domain);
  assert.deepEqual([code, body.data.state], [200, 'pending-dns']);
  assert.match(body.data.reason, /did not answer \(ETIMEOUT\)/);
});

it('a foreign record is 409 with the record, and overwriting replaces it', async () => {
  const domain = 'shop.zoned.com';
  api.names.provider.add('zoned.com', 'active');
  api.names.provider.put('zoned.com', domain, [{ type: 'CNAME', content: 'elsewhere.net' }]);
  const managed = { mode: 'cloudflare', service: 'ours' };
  await api.services.upsert({ id: 'svc_ours', name: 'ours', org: 'platform' }, {});
  const member = await add(domain, managed, { 'x-test-user': 'platform/member/usr_op' });
  assert.deepEqual([member.status, member.body.data.state], [200, 'pending-proof'], 'all zones are no member\u2019s');
  assert.equal((await api.call('DELETE', `/domains/${domain}`, undefined, {})).status, 200);
  const headers = {};
  const refused = await add(domain, managed, headers);
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'DNS_RECORD_EXISTS']);
  assert.deepEqual(refused.body.error.details.records, [{ type: 'CNAME', content: 'elsewhere.net' }]);
  const { body } = await add(domain, { ...managed, overwriteExistingRecord: true }, headers);
  assert.deepEqual(body.data.replacedRecord, { type: 'CNAME', content: 'elsewhere.net' });
  assert.deepEqual([body.data.state, body.data.zoneStatus, body.data.records], ['active', 'active', []]);
});

it('a zone that the add makes is told with its name servers', async () => {
  const { body } = await add('shop.newzone.com', { mode: 'cloudflare' });
  const { state, dnsVerified, zone, zoneStatus, nameServers, message } = body.data;
  assert.deepEqual([state, dnsVerified, zoneStatus], ['pending-delegation', true, 'pending']);
  assert.deepEqual([zone.created, zone.name, zone.originalNameServers], [true, 'newzone.com', ['ns1.registrar.net']]);
  assert.deepEqual(nameServers, zone.nameServers);
  assert.match(
    message,
    /Set the name servers of newzone\.com to ada.* set TXT _fairlead\.newzone\.com to fairlead-verify=/,
  );
  const [early, ...others] = body.data.records;
  assert.deepEqual([early.type, early.name, others], ['TXT', '_fairlead.newzone.com', []]);
});

it('the external mode is refused at an apex', async () => {
  const { status: code, body } = await add('apex.com', { mode: 'external' });
  assert.deepEqual([code, body.error.code], [400, 'EXTERNAL_APEX_UNSUPPORTED']);
});

it('lists the names of the services that the caller may use, and of no other', async () => {
  await add('listed.blog.com', { service: 'blog' }, GLOBEX);
  const names = async (path: string, headers: Record<string, string>) =>
    (await api.call('GET', path, undefined, headers)).body.data.items.map(({ domain }: { domain: string }) => domain);
  assert.deepEqual(await names('/domains', GLOBEX), ['listed.blog.com']);
  assert.ok(!(await names('/domains', ACME)).includes('listed.blog.com'));
  assert.deepEqual(await names('/domains?service=blog&environment=uat', GLOBEX), []);
  assert.equal((await api.call('GET', '/domains?service=shop', undefined, GLOBEX)).status, 404);
  assert.ok((await names('/domains', {})).includes('listed.blog.com'));
});

it('members of the owner and of orgs that share the service add names; viewers and other orgs do not', async () => {
  await api.services.upsert({ id: 'svc_shared', name: 'shared', org: 'acme' }, {});
  const sharer = { org: 'globex', repoRole: 'write', authorizedBy: 'usr_ann', authorizedAt: new Date() } as const;
  await api.services.setSharing('svc_shared', { revision: 1, orgs: [sharer], lastChange: null }, 0);
  const as = (user: string) => ({ 'x-test-user': user });
  const to = (domain: string, user: string) => add(domain, { service: 'shared' }, as(user));
  assert.equal((await to('a.roles.com', 'acme/viewer/usr_vi')).status, 403);
  assert.equal((await to('a.roles.com', 'initech/admin/usr_x')).body.error.code, 'SERVICE_NOT_FOUND');
  assert.equal((await to('a.roles.com', 'acme/member/usr_ann')).status, 200);
  assert.equal((await to('b.roles.com', 'globex/member/usr_bob')).status, 200);
  assert.equal((await add('c.roles.com', { service: 'shared' }, {})).status, 200, 'the platform');
  const held = await Promise.all(['a', 'b', 'c'].map((name) => api.domains.find(`${name}.roles.com`)));
  assert.deepEqual(
    held.map((record) => [record?.holder?.org, record?.holder?.claimant, record?.holder?.sharingRevision]),
    [
      ['acme', 'acme', null],
      ['acme', 'globex', 1],
      ['acme', 'acme', null],
    ],
  );
});

it('what is said of a name besides is kept, and stays as it is where nothing is said', async () => {
  const kept = async (body: object) => {
    const { data } = (await add('said.roles.com', body)).body;
    return [data.canonical, data.hsts];
  };
  assert.deepEqual(await kept({ canonical: true }), [true, false]);
  assert.deepEqual(await kept({ hsts: true }), [true, true]);
  assert.deepEqual(await kept({}), [true, true]);
  assert.deepEqual(await kept({ canonical: false }), [false, true]);
});

it('adds that come to nothing do not reach the workflow of another\u2019s name', async () => {
  await add('kept.roles.com', { service: 'blog' }, GLOBEX);
  const { name, value } = (await add('kept.roles.com')).body.error.details.proof;
  api.names.dns.setText(name, value);
  api.names.dns.lead('kept.roles.com', HERE);
  for (let looks = 0; looks < 3; looks += 1) await add('kept.roles.com');
  assert.equal((await status('kept.roles.com')).body.data.state, 'active');
  const { revision } = (await api.domains.find('kept.roles.com')) ?? assert.fail();
  const sent = api.names.dns.looks();
  const refused = await add('kept.roles.com', { service: 'blog' }, GLOBEX);
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'DOMAIN_TAKEN']);
  assert.match(refused.body.error.details.proof.value, /^fairlead-verify=/);
  assert.equal(api.names.dns.looks(), sent, 'no proof of it is looked up: it changes nothing');
  assert.equal((await api.domains.find('kept.roles.com'))?.revision, revision);
});

it('who has names without proof loses them to who proves them, and is told nothing of it beforehand', async () => {
  await add('proven.roles.com', { service: 'blog' }, GLOBEX);
  const refused = await add('proven.roles.com');
  assert.equal(refused.body.error.code, 'DOMAIN_TAKEN');
  const { name, value } = refused.body.error.details.proof;
  api.names.dns.setText(name, value);
  assert.equal((await add('proven.roles.com')).status, 200);
  assert.equal((await status('proven.roles.com', GLOBEX)).status, 404);
});

it('the uptime monitor reads the names of all orgs by the key of the installation', async () => {
  await add('seen.monitored.com');
  await add('other.monitored.com', { service: 'blog', environment: 'uat' }, GLOBEX);
  const listed = await createServedDomains({ url: api.address, internalKey: KEY }).list(new AbortController().signal);
  for (const key of ['shop/prod/seen.monitored.com', 'blog/uat/other.monitored.com']) assert.ok(listed.has(key), key);
});

it('what was seen last is told without a look', async () => {
  await add('last.served.com');
  const looks = api.names.dns.looks();
  api.names.dns.lead('last.served.com', HERE);
  const { status: code, body } = await api.call('GET', '/domains/last.served.com', undefined, ACME);
  assert.deepEqual([code, body.data.domain, body.data.state], [200, 'last.served.com', 'pending-dns']);
  assert.equal(api.names.dns.looks(), looks);
  assert.equal((await api.call('GET', '/domains/last.served.com', undefined, GLOBEX)).status, 404);
  assert.equal((await api.call('GET', '/domains/none.served.com', undefined, ACME)).status, 404);
});

it('in direct mode the certificate is told as of the newest look: when it ends, and when it was seen served', async () => {
  const [domain, notAfter, servedAt] = ['dated.served.com', '2027-01-01T00:00:00.000Z', '2026-11-28T10:00:00.000Z'];
  const certificate = async () => (await api.call('GET', `/domains/${domain}`, undefined, ACME)).body.data.certificate;
  const verify = () => api.call('POST', `/domains/${domain}/verify`, undefined, ACME);
  await add(domain);
  assert.equal(await certificate(), null);
  api.names.dns.lead(domain, HERE);
  api.names.certificates.states.set(domain, { state: 'issued', reason: null, notAfter });
  // It is asked for by the first look that sees the record, and read by the next.
  for (let looks = 0; looks < 2; looks += 1) await verify();
  assert.deepEqual(await certificate(), { expiresAt: notAfter, servedAt: null });
  api.names.certificates.states.set(domain, { state: 'served', reason: null, notAfter, servedAt });
  await verify();
  assert.deepEqual(await certificate(), { expiresAt: notAfter, servedAt });
  // While nobody says where the name leads, nobody asks: what was known stays.
  api.names.dns.fail(domain, 'ETIMEOUT');
  await verify();
  assert.deepEqual(await certificate(), { expiresAt: notAfter, servedAt });
});

it('the modes of the installation are told with what keeps a mode from being offered', async () => {
  const modes = async () => (await api.call('GET', '/domains/modes', undefined, ACME)).body.data;
  const { writesRecords, modes: all } = await modes();
  assert.deepEqual(
    [writesRecords, all.map(({ unavailable }: { unavailable: string | null }) => unavailable)],
    [true, [null, null, null]],
  );
  api.domainModes.issuesCertificates = false;
  const [, , direct] = (await modes()).modes;
  assert.deepEqual(direct, {
    ...{ mode: 'direct', target: null },
    unavailable: 'The direct mode needs certificates: the operator sets ACME_DIRECTORY_URL',
  });
  api.domainModes.issuesCertificates = true;
});
