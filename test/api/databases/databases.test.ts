import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { databaseRecord, storedLogin } from '../../ports/database-records.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
const shop = (id: string, fields: Parameters<typeof databaseRecord>[0] = {}) =>
  databaseRecord({ id, database: 'shop_prod', service: 'shop', serviceId: 'svc_shop', ...fields });
before(async () => {
  api = await startApi();
  for (const name of ['shop', 'blog', 'both']) {
    await api.services.upsert({ id: `svc_${name}`, name, org: 'acme' }, {});
  }
  await api.databaseRecords.claim(shop('postgres/shop_prod'));
  await api.databaseRecords.claim(shop('postgres/shop_uat', { environment: 'uat', state: 'kept' }));
  for (const engine of ['postgres', 'mongodb'] as const) {
    await api.databaseRecords.claim(shop(`${engine}/both_prod`, { engine, service: 'both', serviceId: 'svc_both' }));
  }
});
after(() => api.stop());
beforeEach(() => api.rotations.splice(0));

const ADMIN = { 'x-test-user': 'acme/admin/usr_root' };
const rotate = (service: string, body?: object) =>
  api.call('POST', `/services/${service}/databases/rotate`, body, ADMIN);

it('logins are listed without their passwords', async () => {
  const { status, body, text } = await api.call('GET', '/services/shop/databases/logins', undefined, {
    'x-test-user': 'acme/viewer',
  });
  assert.equal(status, 200);
  assert.deepEqual(
    body.data.databases.map((one: Record<string, unknown>) => [one.engine, one.environment, one.rotation]),
    [['postgres', 'prod', 'none']],
  );
  assert.equal(text.includes('sealed'), false);
});

it('a database without backups says so, and none is made of it', async () => {
  await api.services.upsert({ id: 'svc_cached', name: 'cached', org: 'acme' }, {});
  const fields = { engine: 'redis', database: 'cached_prod', service: 'cached', serviceId: 'svc_cached' } as const;
  await api.databaseRecords.claim(shop('redis/cached_prod', fields));
  const get = (path: string) => api.call('GET', path, undefined, { 'x-test-user': 'acme/viewer' });
  const logins = await get('/services/cached/databases/logins');
  assert.deepEqual(
    logins.body.data.databases.map((one: Record<string, unknown>) => one.backups),
    ['none'],
  );
  const { data } = (await get('/services/cached/databases')).body;
  const reason = 'Redis is a cache: its databases are not backed up';
  const shown = { engine: 'redis', environment: 'prod', databaseName: 'cached_prod', reason };
  assert.deepEqual([data.databases, data.notBackedUp], [[], [shown]]);
  const backUp = (body: object) => api.call('POST', '/services/cached/databases/backup', body, ADMIN);
  const refused = await backUp({ type: 'redis' });
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'VALIDATION_FAILED']);
  assert.match(refused.text, /redis: Redis is a cache/);
  const none = await backUp({});
  assert.deepEqual([none.status, none.body.error.code], [404, 'DATABASE_NOT_FOUND']);
  assert.match(none.text, /no database that is backed up in prod/);
});

it('a rotation is told to run, in the name of who asked, and to the ledger', async () => {
  const { status, body } = await rotate('shop');
  assert.deepEqual([status, body.data.rotation], [202, 'running']);
  assert.deepEqual(api.rotations, [{ id: 'postgres/shop_prod', requestedBy: 'usr_root' }]);
  const told = api.audit.told().at(-1);
  assert.deepEqual([told?.eventType, told?.entityId], ['service.database_rotation_requested', 'shop']);
});

it('a rotation that is under way is joined, and one that waits goes on: the reply says since when, and what it waits for', async () => {
  await api.services.upsert({ id: 'svc_slow', name: 'slow', org: 'acme' }, {});
  const record = shop('postgres/slow_prod', { database: 'slow_prod', service: 'slow', serviceId: 'svc_slow' });
  await api.databaseRecords.claim(record);
  const answered = async () => {
    const { outcome, rotation, rotationBegunAt, rotationWaitsFor } = (await rotate('slow')).body.data;
    return [outcome, rotation, rotationBegunAt, rotationWaitsFor?.for, rotationWaitsFor?.reason];
  };
  const logins = async () => {
    const [one] = (await api.call('GET', '/services/slow/databases/logins', undefined, ADMIN)).body.data.databases;
    return [one.rotation, one.rotationBegunAt, one.rotationWaitsFor];
  };
  assert.deepEqual(await logins(), ['none', null, null]);
  assert.deepEqual(await answered(), ['begun', 'running', null, undefined, undefined]);
  assert.deepEqual(await answered(), ['joined', 'running', null, undefined, undefined], 'its login is not made yet');
  const next = storedLogin('slow_prod_b', 'next');
  const begunAt = next.issuedAt.toISOString();
  await api.databaseRecords.prepareLogin(record.id, record.login, next);
  assert.deepEqual(await answered(), ['joined', 'running', begunAt, 'server', null]);
  await api.databaseRecords.promoteLogin(record.id, next);
  assert.deepEqual(await answered(), ['joined', 'running', begunAt, 'restart', null]);
  const since = new Date('2026-05-01T00:00:00Z');
  const wait = { for: 'next-night', buildId: 'bld_slow', reason: 'the restart failed' } as const;
  await api.databaseRecords.noteWait(record.id, { ...wait, since });
  assert.deepEqual(await answered(), ['joined', 'running', begunAt, 'restart', 'the restart failed']);
  api.rotations.splice(0);
  assert.deepEqual(await logins(), ['waiting', begunAt, { ...wait, since: since.toISOString() }]);
  assert.equal((await rotate('slow')).body.data.outcome, 'continued');
});

const REFUSED: readonly [what: string, service: string, body: object | undefined, status: number, says: RegExp][] = [
  ['a service without databases', 'blog', undefined, 404, /declare it in spec.databases/],
  ['an environment without one', 'shop', { environment: 'sandbox' }, 404, /no database in sandbox/],
  ['the database that a removed service left', 'shop', { environment: 'uat' }, 404, /no database in uat/],
  ['an engine without one', 'shop', { type: 'mongodb' }, 404, /no mongodb database/],
  ['several without saying which', 'both', undefined, 400, /type: .*postgres, mongodb|mongodb, postgres/],
  ['an unknown engine', 'both', { type: 'oracle' }, 400, /type/],
];
for (const [what, service, body, status, says] of REFUSED) {
  it(`a rotation is refused of ${what}`, async () => {
    const answer = await rotate(service, body);
    assert.equal(answer.status, status);
    assert.match(answer.text, says);
    assert.deepEqual(api.rotations, []);
  });
}

it('of several databases the one that is named is rotated', async () => {
  assert.equal((await rotate('both', { type: 'mongodb' })).status, 202);
  assert.deepEqual(
    api.rotations.map(({ id }) => id),
    ['mongodb/both_prod'],
  );
});
