import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../ports/records.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

const CANARY = 'canary-Wq07-never-shown';
const ADA = { 'x-test-user': 'acme/member' };

async function register(name: string, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await api.call('POST', '/services', { name, org: 'acme', ...more });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

const change = (name: string, body: unknown, headers: Record<string, string> = ADA) =>
  api.call('PATCH', `/services/${name}/config`, body, headers);

const list = async (name: string) => (await api.call('GET', `/services/${name}/config`, undefined, ADA)).body.data;

const rowsOf = async (name: string): Promise<string[]> =>
  (await list(name)).variables.map(
    (row: Record<string, unknown>) => `${row.environment ?? 'all'} ${row.name}=${row.value}`,
  );

it('a plain value in the place of a secret is stored, with a warning: from then on it is shown', async () => {
  await register('shop-clear', {});
  await change('shop-clear', { secrets: { STRIPE: CANARY } });
  const again = await change('shop-clear', { secrets: { STRIPE: CANARY } });
  assert.deepEqual(again.body.data.warnings, []);
  const elsewhere = await change('shop-clear', { environment: 'uat', set: { STRIPE: 'none' } });
  assert.deepEqual(elsewhere.body.data.warnings, [], 'the secret of all environments stays');
  const { warnings } = (await change('shop-clear', { set: { STRIPE: 'clear' } })).body.data;
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /^STRIPE was a secret, and is stored in clear now.*`fairlead config set --secret STRIPE`/);
});

it('sets and removes variables, lists them by name with who set them, and says which were not there', async () => {
  await register('shop', { config: { OLD: '1' } });
  const answer = await change('shop', {
    set: { COLOUR: 'blue' },
    secrets: { API_KEY: CANARY },
    unset: ['OLD', 'NONE'],
  });
  assert.equal(answer.status, 200, answer.text);
  const { changeId, ...changed } = answer.body.data;
  assert.match(changeId, /^chg_/);
  const names = { set: ['COLOUR', 'API_KEY'], unset: ['OLD'], absent: ['NONE'] };
  assert.deepEqual(changed, { environment: null, ...names, warnings: [] });
  const { variables, pending } = await list('shop');
  assert.deepEqual(pending, [], 'nothing serves yet');
  assert.deepEqual(
    variables.map(({ changedAt, ...row }: { changedAt: string }) => ({
      ...row,
      dated: !Number.isNaN(Date.parse(changedAt)),
    })),
    [
      {
        name: 'API_KEY',
        secret: true,
        value: '********',
        environment: null,
        changedBy: 'usr_test',
        origin: null,
        dated: true,
      },
      {
        name: 'COLOUR',
        secret: false,
        value: 'blue',
        environment: null,
        changedBy: 'usr_test',
        origin: null,
        dated: true,
      },
    ],
  );
});

it('what is set for one environment wins there, whether plain or secret, and nowhere else', async () => {
  await register('envs', { config: { A: 'all', B: 'all' }, secrets: { S: 'all-secret' } });
  await change('envs', { environment: 'uat', set: { A: 'uat', S: 'plain-in-uat' }, secrets: { B: 'uat-secret' } });
  const values = async (environment: string) =>
    (await api.call('GET', `/services/envs/config/values?environment=${environment}`, undefined, ADA)).body.data
      .variables;
  assert.deepEqual(await values('uat'), { A: 'uat', B: 'uat-secret', S: 'plain-in-uat' });
  assert.deepEqual(await values('prod'), { A: 'all', B: 'all', S: 'all-secret' });
  assert.deepEqual(
    await rowsOf('envs'),
    ['all A=all', 'uat A=uat', 'all B=all', 'uat B=********', 'uat S=plain-in-uat', 'all S=********'].sort(
      (a, b) =>
        (a.split(' ')[1]?.[0] ?? '').localeCompare(b.split(' ')[1]?.[0] ?? '') || (a.startsWith('all') ? -1 : 1),
    ),
  );
  const removed = await change('envs', { environment: 'uat', unset: ['A', 'B', 'S'] });
  assert.deepEqual(removed.body.data.unset, ['A', 'B', 'S']);
  assert.deepEqual(await values('uat'), await values('prod'));
});

it('a value sealed for one environment opens in no other place', async () => {
  const id = await register('moved');
  await change('moved', { environment: 'uat', secrets: { KEY: CANARY } });
  const sealed = (await api.services.find(id))?.overrides.uat?.secrets.KEY;
  assert.ok(sealed);
  const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
  assert.equal(cipher.open(sealed, { service: 'moved', environment: 'uat', key: 'KEY' }), CANARY);
  for (const place of [
    { service: 'moved', key: 'KEY' },
    { service: 'moved', environment: 'prod' as const, key: 'KEY' },
  ]) {
    assert.throws(() => cipher.open(sealed, place), /cannot be decrypted/);
  }
});

it('refuses a change as a whole, naming the field, and stores nothing of it', async () => {
  const id = await register('whole', { config: { KEPT: '1' } });
  const refused: readonly [unknown, number, RegExp][] = [
    [{ set: { GOOD: '1', MONGODB_URI: 'x' } }, 400, /MONGODB_URI: the platform provides this/],
    [{ set: { GOOD: '1' }, secrets: { GOOD: CANARY } }, 400, /GOOD: set it in config or in secrets/],
    [{ set: { KEPT: '2' }, unset: ['KEPT'] }, 400, /KEPT: set it or unset it/],
    [{ set: { 'NO-NAME': '1' } }, 400, /NO-NAME/],
    [{ set: { GOOD: 'x'.repeat(32_769) } }, 400, /GOOD/],
    [{ set: { GOOD: null } }, 400, /GOOD/],
    [{ set: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`K${index}`, 'v'])) }, 400, /at most 200/],
    [
      { set: Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`BIG${index}`, 'x'.repeat(32_000)])) },
      400,
      /131072/,
    ],
    [{ environment: 'dev', set: { GOOD: '1' } }, 400, /environment/],
    [{}, 400, /names no variable/],
    [{ colour: 'red', set: { GOOD: '1' } }, 400, /colour/],
  ];
  const before = await api.services.find(id);
  for (const [body, status, expected] of refused) {
    const answer = await change('whole', body);
    assert.equal(answer.status, status, answer.text);
    assert.match(JSON.stringify(answer.body.error), expected);
    assert.ok(!answer.text.includes(CANARY));
  }
  assert.deepEqual(await api.services.find(id), before);
});

it('bounds all variables of a service together, and lets whoever is above get below', async () => {
  await register('full');
  const many = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'v']));
  assert.equal((await change('full', { set: many(200, 'A') })).status, 200);
  assert.equal((await change('full', { environment: 'uat', set: many(100, 'B') })).status, 200);
  const over = await change('full', { environment: 'prod', set: { ONE: 'more' } });
  assert.match(over.body.error.message, /would have 301 variables and may have 300/);
  assert.equal(
    (await change('full', { environment: 'uat', set: { B0: 'changed' } })).status,
    200,
    'no more than before',
  );
  assert.equal((await change('full', { unset: ['A0'] })).status, 200);
  assert.equal((await change('full', { environment: 'prod', set: { ONE: 'more' } })).status, 200);
});

it('tells of variables that came with the service, or with a change of it', async () => {
  await register('with', { config: { A: '1', B: '1' }, secrets: { S: CANARY } });
  await api.call('POST', '/services', { name: 'with', config: { A: '2', B: null, NONE: null } }, ADA);
  await api.call('POST', '/services', { name: 'with', port: 8080 }, ADA);
  const { items } = (await api.call('GET', '/services/with/config/history', undefined, ADA)).body.data;
  assert.deepEqual(
    items.map(({ set, setSecret, unset, made }: Record<string, unknown>) => ({ set, setSecret, unset, made })),
    [
      { set: ['A'], setSecret: [], unset: ['B'], made: true },
      { set: ['A', 'B'], setSecret: ['S'], unset: [], made: true },
    ],
  );
});

it('tells who changed which names, newest first, and never a value', async () => {
  const id = await register('told');
  await change('told', { set: { A: 'value-of-a' }, secrets: { S: CANARY } });
  await change('told', { environment: 'uat', set: { A: 'other' } }, { 'x-test-user': 'acme/admin' });
  await change('told', { unset: ['S'] });
  const history = (await api.call('GET', '/services/told/config/history', undefined, ADA)).body.data;
  assert.deepEqual(
    history.items.map(({ id: _, at: __, ...entry }: Record<string, unknown>) => entry),
    [
      { environment: null, changedBy: 'usr_test', set: [], setSecret: [], unset: ['S'], made: true },
      { environment: 'uat', changedBy: 'usr_test', set: ['A'], setSecret: [], unset: [], made: true },
      { environment: null, changedBy: 'usr_test', set: ['A'], setSecret: ['S'], unset: [], made: true },
    ],
  );
  assert.ok(!JSON.stringify(history).includes('value-of-a'));
  const interrupted = { id: 'chg_killed', serviceId: id, environment: null, changedBy: 'usr_ada', at: new Date() };
  await api.history.begin({ ...interrupted, set: ['NEVER'], setSecret: [], unset: [] });
  const [first] = (await api.call('GET', '/services/told/config/history', undefined, ADA)).body.data.items;
  assert.deepEqual(
    [first.set, first.made],
    [['NEVER'], false],
    'a change that was begun and not made is shown as that',
  );
});

it('shows what a deploy would change of what each environment serves with, by name', async () => {
  const id = await register('drift', {
    config: { SAME: '1', CHANGED: 'old' },
    secrets: { SECRET: 'old', KEPT: 'kept' },
  });
  const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
  const seal = (key: string, value: string) => cipher.seal(value, { service: 'drift', environment: 'prod', key });
  const build = buildRecord({ id: 'bld_drift', serviceId: id, service: 'drift', environment: 'prod' });
  await api.builds.create(build);
  await api.releases.put(
    releaseRecord({
      ...{ id: 'rel_drift', buildId: 'bld_drift', serviceId: id, service: 'drift', environment: 'prod' },
      config: { SAME: '1', CHANGED: 'old', GONE: '1' },
      secrets: { SECRET: seal('SECRET', 'old'), KEPT: seal('KEPT', 'kept') },
    }),
  );
  await api.releases.activate('rel_drift', { at: new Date(), epoch: 1, buildId: 'bld_drift' });
  assert.deepEqual((await list('drift')).pending, [
    { environment: 'prod', releaseId: 'rel_drift', added: [], changed: [], removed: ['GONE'] },
  ]);
  await change('drift', { set: { CHANGED: 'new', ADDED: '1' }, secrets: { SECRET: CANARY } });
  await change('drift', { environment: 'uat', set: { SAME: 'elsewhere' } });
  const reply = await list('drift');
  assert.deepEqual(reply.pending, [
    {
      environment: 'prod',
      releaseId: 'rel_drift',
      added: ['ADDED'],
      changed: ['CHANGED', 'SECRET'],
      removed: ['GONE'],
    },
  ]);
  assert.ok(!JSON.stringify(reply).includes(CANARY));
});

it('shows what the catalog declares, as the last build found it', async () => {
  const id = await register('declares', {});
  assert.deepEqual((await list('declares')).declared, []);
  const entry = { key: 'KEY', secret: true, required: true, default: null };
  const catalog = catalogRecord({
    config: [entry, { ...entry, key: 'COLOUR', secret: false, required: false, default: 'blue' }],
  });
  await api.builds.create(buildRecord({ id: 'bld_decl', serviceId: id, service: 'declares', facts: { catalog } }));
  await api.services.setLastBuild(id, 'bld_decl');
  const declared = [
    { name: 'KEY', secret: true, required: true, hasDefault: false },
    { name: 'COLOUR', secret: false, required: false, hasDefault: true },
  ];
  assert.deepEqual((await list('declares')).declared, declared);
  await api.releases.put(releaseRecord({ id: 'rel_decl', buildId: 'bld_decl', environment: 'uat' }));
  const restart = { id: 'bld_again', kind: 'restart', releaseId: 'rel_decl', facts: {} } as const;
  await api.builds.create(buildRecord({ ...restart, serviceId: id, service: 'declares' }));
  await api.services.setLastBuild(id, 'bld_again');
  assert.deepEqual((await list('declares')).declared, declared, 'a restart makes no release of its own');
});

it('lists a variable of an earlier version that is called like what every object has', async () => {
  const id = await register('inherited');
  const config = { constructor: 'x', toString: 'y' } as unknown as Record<string, string>;
  await api.services.changeVariables(id, null, { config, secrets: {}, marks: {} });
  const { variables } = await list('inherited');
  assert.deepEqual(
    variables.map((row: Record<string, unknown>) => [row.name, row.value, row.changedAt, row.changedBy]),
    [
      ['constructor', 'x', null, null],
      ['toString', 'y', null, null],
    ],
  );
});

it('a secret whose key is gone is listed as changed, and does not end the list', async () => {
  const id = await register('rotated', { secrets: { LOST: 'x' } });
  const lost = { keyId: 'deadbeef', sealed: Buffer.alloc(40).toString('base64url') };
  await api.services.changeVariables(id, null, { config: {}, secrets: { LOST: lost }, marks: {} });
  await api.builds.create(buildRecord({ id: 'bld_rotated', serviceId: id, service: 'rotated', environment: 'prod' }));
  const release = {
    id: 'rel_rotated',
    buildId: 'bld_rotated',
    serviceId: id,
    service: 'rotated',
    environment: 'prod' as const,
  };
  await api.releases.put(releaseRecord({ ...release, config: {}, secrets: { LOST: lost } }));
  await api.releases.activate('rel_rotated', { at: new Date(), epoch: 1, buildId: 'bld_rotated' });
  assert.deepEqual((await list('rotated')).pending[0]?.changed, ['LOST']);
});

it('who may read, change and pull: by role and org, and no token of a service reads values', async () => {
  await register('guarded', { secrets: { KEY: CANARY } });
  const calls = {
    list: (headers: Record<string, string>) => api.call('GET', '/services/guarded/config', undefined, headers),
    history: (headers: Record<string, string>) =>
      api.call('GET', '/services/guarded/config/history', undefined, headers),
    change: (headers: Record<string, string>) => change('guarded', { set: { A: '1' } }, headers),
    values: (headers: Record<string, string>) => api.call('GET', '/services/guarded/config/values', undefined, headers),
  };
  const expected = {
    'acme/viewer': { list: 200, history: 200, change: 403, values: 403 },
    'acme/member': { list: 200, history: 200, change: 200, values: 200 },
    'globex/admin': { list: 404, history: 404, change: 404, values: 404 },
    'platform/member': { list: 404, history: 404, change: 404, values: 404 },
    'platform/super_admin': { list: 200, history: 200, change: 200, values: 200 },
  };
  for (const [person, statuses] of Object.entries(expected)) {
    for (const [name, call] of Object.entries(calls)) {
      const answer = await call({ 'x-test-user': person });
      assert.equal(answer.status, statuses[name as keyof typeof statuses], `${person} ${name}`);
      assert.equal(answer.text.includes(CANARY), name === 'values' && answer.status === 200, `${person} ${name}`);
    }
  }
  const values = await calls.values(ADA);
  const reads = api.audit
    .told()
    .filter(({ eventType, entityId }) => eventType === 'service.config_read' && entityId === 'guarded');
  assert.deepEqual(
    reads.map(({ entityId, orgSlug, data }) => [entityId, orgSlug, data.environment, data.names]),
    Array.from({ length: 3 }, () => ['guarded', 'acme', 'prod', ['A', 'KEY']]),
    'every read, and none that was refused',
  );
  assert.match(values.headers.get('cache-control') ?? '', /no-store/);
  assertNotLogged(api.logged, '/services/guarded/config/values', [CANARY]);
});
