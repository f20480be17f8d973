import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../ports/records.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

const CANARY = 'canary-Zx81-never-shown';

it('registers a service with 201, changes it with 200, and finds it by id and name', async () => {
  const created = await api.call('POST', '/services', { name: 'hello', gitUrl: 'https://git.example/a/hello.git' });
  assert.equal(created.status, 201);
  assert.equal(created.body.data.org, 'platform');
  const changed = await api.call('POST', '/services', { name: 'hello', port: 8080, config: { COLOUR: 'blue' } });
  assert.equal(changed.status, 200);
  assert.equal(changed.body.data.gitUrl, 'https://git.example/a/hello.git');
  for (const id of [created.body.data.id, 'hello']) {
    const found = await api.call('GET', `/services/${id}`);
    assert.equal(found.status, 200);
    assert.deepEqual(found.body.data.config, { COLOUR: 'blue' });
    assert.deepEqual(found.body.data.environments, []);
  }
  assert.equal((await api.call('GET', '/services/nothing')).status, 404);
});

it('a secret is in no reply and no log, and its name is listed hidden', async () => {
  const answers = [
    await api.call('POST', '/services', { name: 'secretive', secrets: { API_KEY: CANARY } }),
    await api.call('POST', '/services', { name: 'secretive', secrets: { API_KEY: { value: CANARY } } }),
    await api.call('POST', '/services', { name: 'secretive', secrets: { GIT_COMMIT: CANARY } }),
    await api.call('POST', '/services', { name: 'secretive', secrets: { [`${'x'.repeat(200)}`]: CANARY } }),
    await api.call('POST', '/services', `{"name":"secretive","secrets":{"A":"${CANARY}"`),
    await api.call('GET', '/services/secretive'),
    await api.call('GET', '/services'),
  ];
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [201, 400, 400, 400, 400, 200, 200],
  );
  assert.deepEqual(answers[5]?.body.data.secrets, { API_KEY: '********' });
  for (const answer of answers) assert.ok(!answer.text.includes(CANARY), answer.text);
  assertNotLogged(api.logged, '/services', [CANARY]);
  const stored = await api.services.find('secretive');
  assert.ok(stored !== null);
  assert.ok(!JSON.stringify(stored).includes(CANARY));
});

it('plain config under the name of a secret is stored and not shown', async () => {
  const config = { LEDGER_PASSWORD: 'hunter2-hunter2', TOKEN_COUNT: '3' };
  await api.call('POST', '/services', { name: 'careless', config });
  const found = await api.call('GET', '/services/careless');
  assert.deepEqual(found.body.data.config, { LEDGER_PASSWORD: '********', TOKEN_COUNT: '3' });
});

it('a variable is plain or secret, whichever was set last', async () => {
  await api.call('POST', '/services', { name: 'either', config: { K: 'plain' } });
  const sealed = await api.call('POST', '/services', { name: 'either', secrets: { K: 'hidden' } });
  assert.deepEqual([sealed.body.data.config, sealed.body.data.secrets], [{}, { K: '********' }]);
  const plain = await api.call('POST', '/services', { name: 'either', config: { K: 'again' } });
  assert.deepEqual([plain.body.data.config, plain.body.data.secrets], [{ K: 'again' }, {}]);
  const both = await api.call('POST', '/services', { name: 'either', config: { K: '1' }, secrets: { K: '2' } });
  assert.equal(both.status, 400);
});

it('refuses reserved variables by name', async () => {
  for (const name of ['IDP_URL', 'NEO4J_PASSWORD', 'GIT_COMMIT', 'https_proxy', 'MONGODB_URI']) {
    const answer = await api.call('POST', '/services', { name: 'reserved', config: { [name]: 'x' } });
    assert.equal(answer.body.error.code, 'RESERVED_ENV_VAR', name);
    assert.equal(answer.status, 400);
    assert.match(answer.body.error.message, new RegExp(name));
  }
});

it('names every wrong field at once, unknown ones included', async () => {
  const answer = await api.call('POST', '/services', { name: 'Bad Name', port: 0, colour: 'red', appPath: '../up' });
  assert.equal(answer.status, 400);
  assert.equal(answer.body.error.code, 'VALIDATION_FAILED');
  const fields = answer.body.error.details.map((row: { field: string }) => row.field);
  assert.deepEqual(fields.sort(), ['appPath', 'colour', 'name', 'port']);
});

it('refuses an object where a value belongs, in every field', async () => {
  const fields = ['name', 'org', 'gitUrl', 'branch', 'appPath', 'dockerfilePath', 'port', 'config', 'secrets'];
  for (const field of fields) {
    for (const wrong of [{ $gt: '' }, ['x'], true]) {
      const answer = await api.call('POST', '/services', { name: 'typed', [field]: wrong });
      assert.equal(answer.status, 400, `${field} ${JSON.stringify(wrong)}`);
    }
  }
  for (const body of ['[]', '"x"', 'null', '{', '{"__proto__":{"a":1}}']) {
    assert.equal((await api.call('POST', '/services', body)).status, 400, body);
  }
  for (const query of [
    'limit[$gt]=1',
    'limit=1&limit=2',
    'cursor[$ne]=',
    'limit=0',
    'limit=201',
    'cursor=zzz',
    'x=1',
  ]) {
    assert.equal((await api.call('GET', `/services?${query}`)).status, 400, query);
  }
});

it('refuses a git URL with credentials without repeating them', async () => {
  const answer = await api.call('POST', '/services', {
    name: 'creds',
    gitUrl: `https://me:${CANARY}@git.example/x.git`,
  });
  assert.equal(answer.status, 400);
  assert.equal(answer.body.error.code, 'SOURCE_REFUSED');
  assert.ok(!answer.text.includes(CANARY));
});

it('answers 401 without a key or with a wrong one, before anything else', async () => {
  const none = await fetch(`${api.address}/services`);
  assert.equal(none.status, 401);
  const wrong = await api.call('GET', '/services', undefined, { 'x-internal-key': 'wrong' });
  assert.equal(wrong.body.error.code, 'UNAUTHORIZED');
  const badBody = await fetch(`${api.address}/services`, { method: 'POST', body: '{' });
  assert.equal(badBody.status, 401);
});

it('hides services of other orgs and refuses to take their names', async () => {
  await api.call('POST', '/services', { name: 'acmes', org: 'acme' });
  const acme = { 'x-test-user': 'acme/member' };
  const other = { 'x-test-user': 'other/admin' };
  assert.equal((await api.call('GET', '/services/acmes', undefined, acme)).status, 200);
  assert.equal((await api.call('GET', '/services/acmes', undefined, other)).status, 404);
  assert.equal((await api.call('DELETE', '/services/acmes', undefined, other)).status, 404);
  assert.equal((await api.call('DELETE', '/services/acmes', undefined, acme)).status, 403);
  assert.deepEqual((await api.call('GET', '/services', undefined, other)).body.data.items, []);
  const taken = await api.call('POST', '/services', { name: 'acmes' }, other);
  assert.equal(taken.status, 409);
  assert.equal(taken.body.error.code, 'SERVICE_OWNER_MISMATCH');
  assert.equal((await api.call('POST', '/services', { name: 'acmes', org: 'other' }, acme)).status, 409);
});

it('pages through services without missing or repeating one', async () => {
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await api.call('GET', `/services?limit=2${cursor}`);
    seen.push(...page.body.data.items.map((item: { name: string }) => item.name));
    cursor = page.body.data.nextCursor === null ? '' : `&cursor=${page.body.data.nextCursor}`;
  } while (cursor !== '');
  assert.deepEqual(seen, [...new Set(seen)].sort());
  assert.ok(seen.includes('hello'));
});

it('shows what runs in each environment and lists the releases', async () => {
  const { service } = await api.services.upsert({ id: 'svc_shown', name: 'shown', org: 'platform' }, {});
  const base = { service: service.name, serviceId: service.id };
  await api.releases.put(releaseRecord({ ...base, id: 'rel_s1', activatedAt: new Date('2026-01-01') }));
  await api.releases.put(releaseRecord({ ...base, id: 'rel_s2', activatedAt: new Date('2026-01-02') }));
  const shown = await api.call('GET', '/services/shown');
  assert.deepEqual(shown.body.data.environments, [
    {
      environment: 'prod',
      url: 'http://shown.prod.localhost:8000',
      releaseId: 'rel_s2',
      buildId: 'bld_1',
      commitSha: 'a'.repeat(40),
      activatedAt: '2026-01-02T00:00:00.000Z',
    },
  ]);
  const list = await api.call('GET', '/services/shown/releases');
  assert.deepEqual(
    list.body.data.items.map((row: { id: string; active: boolean }) => [row.id, row.active]),
    [
      ['rel_s2', true],
      ['rel_s1', false],
    ],
  );
  assert.ok(!list.text.includes('c2VhbGVk'), 'sealed values stay inside');
  assert.equal((await api.call('GET', '/services/shown/releases?environment=moon')).status, 400);
});

it('tells what each release has that the one before it did not, and no value of a variable', async () => {
  const { service } = await api.services.upsert({ id: 'svc_differs', name: 'differs', org: 'platform' }, {});
  const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
  const seal = (value: string) => cipher.seal(value, { service: 'differs', environment: 'prod', key: 'KEY' });
  const release = async (at: number, changes: Partial<Release>, scopes: readonly string[], notes: string | null) => {
    const [id, buildId] = [`rel_d${at}`, `bld_d${at}`];
    const catalog = catalogRecord({ dependencies: [{ service: 'shop', scopes: [...scopes] }] });
    const releaseNotes = notes === null ? null : { notes, version: null };
    const facts = { catalog, releaseNotes };
    await api.builds.create(buildRecord({ id: buildId, serviceId: service.id, service: 'differs', facts }));
    const of = { id, buildId, service: 'differs', serviceId: service.id, activatedAt: new Date(2026, 0, at) };
    await api.releases.put(releaseRecord({ ...of, ...changes }));
  };
  await release(
    1,
    { commitSha: 'a'.repeat(40), config: { A: 'canary-1', B: '1' }, secrets: { KEY: seal('s-1') } },
    ['read'],
    null,
  );
  await release(
    2,
    { commitSha: 'b'.repeat(40), config: { A: 'canary-2', C: '1' }, secrets: { KEY: seal('s-1') } },
    ['read', 'write'],
    '- more',
  );
  await release(
    3,
    { commitSha: 'b'.repeat(40), config: { A: 'canary-2', C: '1' }, secrets: { KEY: seal('s-2') } },
    ['write'],
    '- more',
  );
  const expected = [
    [
      'rel_d3',
      {
        since: 'rel_d2',
        commit: null,
        notes: null,
        variables: { added: [], changed: ['KEY'], removed: [] },
        scopes: { added: [], removed: ['shop:read'] },
      },
    ],
    [
      'rel_d2',
      {
        since: 'rel_d1',
        commit: { from: 'a'.repeat(40), to: 'b'.repeat(40) },
        notes: '- more',
        variables: { added: ['C'], changed: ['A'], removed: ['B'] },
        scopes: { added: ['shop:write'], removed: [] },
      },
    ],
    ['rel_d1', null],
  ];
  const whole = await api.call('GET', '/services/differs/releases?changes=true');
  const shown = ({ items }: { items: { id: string; changes?: unknown }[] }) =>
    items.map(({ id, changes }) => [id, changes]);
  assert.deepEqual(shown(whole.body.data), expected);
  assert.ok(!whole.text.includes('canary') && !whole.text.includes('s-1'));
  const first = (await api.call('GET', '/services/differs/releases?changes=true&limit=2')).body.data;
  assert.deepEqual(shown(first), expected.slice(0, 2), 'the last of a page is compared with the first of the next');
  const plain = (await api.call('GET', '/services/differs/releases')).body.data;
  assert.ok(plain.items.every((item: object) => !('changes' in item)));
});

it('deletes a service, but not while a build is open', async () => {
  const { service } = await api.services.upsert({ id: 'svc_del', name: 'del', org: 'platform' }, {});
  await api.builds.create(buildRecord({ id: 'bld_del', serviceId: service.id, service: 'del' }));
  const busy = await api.call('DELETE', '/services/del');
  assert.equal(busy.status, 409);
  assert.equal(busy.body.error.code, 'SERVICE_BUSY');
  await api.builds.finish('bld_del', {
    status: 'completed',
    reason: null,
    failure: null,
    supersededBy: null,
    finishedAt: new Date(),
  });
  const gone = await api.call('DELETE', '/services/del');
  assert.equal(gone.status, 200);
  assert.deepEqual(gone.body.data, { id: 'svc_del', name: 'del', warnings: [] });
  assert.deepEqual(api.commands.removed, ['del']);
});

it('says what other systems go on knowing of a service that is deleted, in the answer and in the ledger', async () => {
  const { service } = await api.services.upsert({ id: 'svc_known', name: 'known', org: 'platform' }, {});
  await api.services.setMonitor(service.id, 'prod', 'mon_7');
  const { id: serviceId, name } = service;
  const facts = { catalog: catalogRecord({ seo: { enabled: true, entity: null, topic: null } }) };
  await api.builds.create(buildRecord({ id: 'bld_seo', serviceId, service: name, status: 'completed', facts }));
  await api.releases.put(
    releaseRecord({ id: 'rel_seo', buildId: 'bld_seo', service: name, serviceId, activatedAt: new Date() }),
  );
  const gone = await api.call('DELETE', '/services/known');
  // Its monitors end with it.
  const [site] = gone.body.data.warnings;
  assert.equal(gone.body.data.warnings.length, 1, gone.text);
  assert.match(site, /site registry keeps what it was told of known in prod/);
  const told = api.audit.told().find(({ eventType, entityId }) => eventType === 'service.deleted' && entityId === name);
  assert.deepEqual(told?.data.warnings, [site]);
});

it('a removal that takes long answers 202 with where to look, also when it is asked for again', async () => {
  const stalled = await startApi();
  try {
    await stalled.services.upsert({ id: 'svc_slow', name: 'slow', org: 'platform' }, {});
    stalled.commands.stallRemovals();
    assert.equal((await stalled.call('GET', '/services/slow')).status, 200);
    await stalled.services.setRemoving('svc_slow', true);
    for (const again of [1, 2]) {
      const { status, body } = await stalled.call('DELETE', '/services/slow');
      assert.equal(status, 202, `call ${again}`);
      const { id, name, workflow, removingSince } = body.data;
      assert.deepEqual([id, name, workflow], ['svc_slow', 'slow', 'service-removal/slow']);
      assert.ok(Number.isFinite(Date.parse(removingSince)));
    }
    const told = stalled.audit.told().map(({ eventType }) => eventType);
    assert.deepEqual(
      told.filter((type) => type.startsWith('service.delete')),
      ['service.delete_requested'],
    );
  } finally {
    await stalled.stop();
  }
});

it('a service has at most 300 variables and 128 KiB of values, and one above it can remove some', async () => {
  const filled = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`KEY_${from + index}`, 'x']));
  const put = (change: object) => api.call('POST', '/services', { name: 'crowded', ...change });
  assert.equal((await put({ config: filled(150) })).status, 201);
  assert.equal((await put({ secrets: filled(150, 150) })).status, 200);
  const tooMany = await put({ config: { ONE_MORE: 'x' } });
  assert.deepEqual([tooMany.status, tooMany.body.error.code], [400, 'VALIDATION_FAILED']);
  assert.match(tooMany.body.error.message, /would have 301 variables and may have 300/);
  assert.equal((await put({ config: { KEY_0: null, ONE_MORE: 'x' } })).status, 200);
  for (const part of ['A', 'B', 'C']) assert.equal((await put({ secrets: { [part]: null } })).status, 200);

  const large = (change: object) => api.call('POST', '/services', { name: 'large', ...change });
  const value = 'y'.repeat(32_000);
  assert.equal((await large({ config: { A: value, B: value }, secrets: { C: value, D: value } })).status, 201);
  const tooLarge = await large({ secrets: { E: value } });
  assert.deepEqual([tooLarge.status, tooLarge.body.error.code], [400, 'VALIDATION_FAILED']);
  assert.match(tooLarge.body.error.message, /may have 131072; keep large ones in a file or a store/);
  assert.equal((await large({ secrets: { D: null } })).status, 200);
  assert.deepEqual(Object.keys((await api.services.find('large'))?.secrets ?? {}), ['C']);
});

it('only an administrator of the platform may name a local path as the source', async () => {
  const asMember = { 'x-test-user': 'acme/admin' };
  const body = { name: 'local-one', gitUrl: '/srv/repositories/one' };
  const refused = await api.call('POST', '/services', body, asMember);
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'SOURCE_REFUSED']);
  assert.match(refused.body.error.message, /^gitUrl: only an administrator of the platform/);
  assert.equal(await api.services.find('local-one'), null);
  const asFile = await api.call('POST', '/services', { ...body, gitUrl: 'file:///etc' }, asMember);
  assert.equal(asFile.body.error.code, 'SOURCE_REFUSED');
  assert.equal((await api.call('POST', '/services', { ...body, org: 'acme' })).status, 201);
  const unchanged = await api.call('POST', '/services', { ...body, port: 4000 }, asMember);
  assert.equal(unchanged.status, 200, 'what an administrator set may be sent again');
  const moved = await api.call('POST', '/services', { ...body, gitUrl: '/srv/repositories/two' }, asMember);
  assert.equal(moved.body.error.code, 'SOURCE_REFUSED');
});

it('who registered, changed and deleted a service is told to the ledger, with names of variables alone', async () => {
  const user = { 'x-test-user': 'acme/admin' };
  const told = () => api.audit.told().filter(({ entityId }) => entityId === 'audited');
  const gitUrl = 'https://git.example/a/audited.git';
  await api.call('POST', '/services', { name: 'audited', gitUrl }, user);
  await api.call('POST', '/services', { name: 'audited', gitUrl }, user);
  const changes = { config: { COLOUR: CANARY, OLD: null }, secrets: { API_KEY: CANARY } };
  await api.call('POST', '/services', { name: 'audited', port: 8080, ...changes }, user);
  await api.call(
    'PATCH',
    '/services/audited/config',
    { environment: 'prod', set: { SIZE: CANARY }, unset: ['COLOUR'] },
    user,
  );
  assert.equal((await api.call('DELETE', '/services/audited', undefined, user)).status, 200);
  assert.deepEqual(
    told().map(({ eventType, data }) => [
      eventType,
      data.fields ?? null,
      data.set ?? null,
      data.setSecret ?? null,
      data.unset ?? null,
    ]),
    [
      ['service.registered', ['gitUrl'], [], [], []],
      ['service.changed', ['port'], ['COLOUR'], ['API_KEY'], ['OLD']],
      ['service.config_changed', null, ['SIZE'], [], []],
      ['service.deleted', null, null, null, null],
    ],
  );
  for (const { metadata, orgSlug } of told()) assert.deepEqual([metadata.actor, orgSlug], ['usr_test', 'acme']);
  assert.ok(!JSON.stringify(told()).includes(CANARY));
});
