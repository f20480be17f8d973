import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import type { Backup } from '../../../domain/backups/backup.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { backupRecord, restoreRecord } from '../../support/backup-record.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
  await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  await api.services.upsert({ id: 'svc_blog', name: 'blog', org: 'other' }, {});
});
after(() => api.stop());
beforeEach(() => {
  api.backupCommands.running.clear();
  api.databases.clear();
  api.databases.set('svc_shop/prod', [MONGO, POSTGRES]);
});

const MONGO = { engine: 'mongodb', databaseName: 'shop_prod' } as const;
const POSTGRES = { engine: 'postgres', databaseName: 'shop_prod' } as const;
const MEMBER = { 'x-test-user': 'acme/member/usr_ann' };
const ADMIN = { 'x-test-user': 'acme/admin/usr_root' };
const backUp = (body?: object, headers: Record<string, string> = MEMBER) =>
  api.call('POST', '/services/shop/databases/backup', body, headers);
const restore = (body: object) => api.call('POST', '/services/shop/databases/restore', body, ADMIN);

let ids = 0;
async function keep(fields: Partial<Backup> = {}): Promise<Backup> {
  const backup = backupRecord({ id: `bak_${ids++}`, ...fields });
  await api.backups.insert(backup);
  return backup;
}

it('a backup begins with 202, and can be polled at once', async () => {
  const { status, body } = await backUp();
  assert.equal(status, 202);
  const { backupId, environment, engine, databaseName, startedAt } = body.data;
  assert.deepEqual([body.data.status, environment, engine, databaseName], ['running', 'prod', 'mongodb', 'shop_prod']);
  assert.ok(Date.parse(startedAt) > 0);
  const polled = await api.call('GET', `/services/shop/databases/backups/${backupId}`, undefined, MEMBER);
  assert.deepEqual([polled.status, polled.body.data], [200, body.data]);
  const job = api.backupCommands.jobs.at(-1);
  assert.deepEqual([job?.requestedBy, job?.serviceId, job?.org], ['usr_ann', 'svc_shop', 'acme']);
});

const ENGINES: readonly [
  what: string,
  databases: (typeof MONGO | typeof POSTGRES)[],
  type: string | undefined,
  engine: string | null,
][] = [
  ['the document database is the default', [POSTGRES, MONGO], undefined, 'mongodb'],
  ['the relational one where it is the only one', [POSTGRES], undefined, 'postgres'],
  ['the one that is asked for', [MONGO, POSTGRES], 'postgres', 'postgres'],
  ['none of an engine that the service has not', [MONGO], 'postgres', null],
  ['none of a service without databases', [], undefined, null],
];

for (const [what, databases, type, engine] of ENGINES) {
  it(`what is backed up: ${what}`, async () => {
    api.databases.set('svc_shop/prod', databases);
    const { status, body } = await backUp({ ...(type === undefined ? {} : { type }) });
    if (engine === null) assert.deepEqual([status, body.error.code], [404, 'DATABASE_NOT_FOUND']);
    else assert.deepEqual([status, body.data.engine], [202, engine]);
  });
}

it('a second backup of the same database and engine is refused, and says which one runs', async () => {
  const { body: first } = await backUp({ type: 'postgres' });
  const { status, body } = await backUp({ type: 'postgres' });
  assert.deepEqual([status, body.error.code], [409, 'BACKUP_IN_PROGRESS']);
  assert.deepEqual(body.error.details, { backupId: first.data.backupId, startedAt: first.data.startedAt });
  assert.equal((await backUp({ type: 'mongodb' })).status, 202);
});

for (const how of ['body', 'query'] as const) {
  it(`whoever waits by the ${how} gets the backup when it has ended`, async () => {
    const path = `/services/shop/databases/backup${how === 'query' ? '?wait=true' : ''}`;
    const answer = api.call('POST', path, how === 'body' ? { wait: true } : undefined, MEMBER);
    const running = () => [...api.backupCommands.running.values()][0]?.id;
    while (running() === undefined) await new Promise((resolve) => setImmediate(resolve));
    const end = { status: 'failed', finishedAt: new Date(), problem: { code: 'DUMP_FAILED', message: 'why' } } as const;
    while (!(await api.backups.change(running() ?? '', 'running', end)))
      await new Promise((resolve) => setImmediate(resolve));
    const { status, body } = await answer;
    assert.deepEqual(
      [status, body.data.status, body.data.error, body.data.errorCode],
      [200, 'failed', 'why', 'DUMP_FAILED'],
    );
  });
}

it('the list has those of the service alone, newest first, by what is asked for', async () => {
  await api.services.upsert({ id: 'svc_list', name: 'list', org: 'acme' }, {});
  const of = (minute: number, fields: Partial<Backup> = {}) =>
    keep({ serviceId: 'svc_list', service: 'list', startedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)), ...fields });
  const made = [
    await of(1, { engine: 'mongodb' }),
    await of(2, { environment: 'uat' }),
    await of(3, { status: 'failed' }),
  ];
  await keep({ serviceId: 'svc_earlier', service: 'list' });
  const list = async (query = '') => {
    const { body } = await api.call('GET', `/services/list/databases/backups${query}`, undefined, MEMBER);
    return body.data.items.map(({ backupId }: { backupId: string }) => made.findIndex(({ id }) => id === backupId));
  };
  assert.deepEqual(await list(), [2, 1, 0]);
  assert.deepEqual(await list('?type=mongodb'), [0]);
  assert.deepEqual(await list('?environment=uat'), [1]);
  assert.deepEqual(await list('?status=failed'), [2]);
  const all = await api.call('GET', '/databases/backups?limit=200', undefined);
  assert.ok(all.body.data.items.some(({ service }: { service: string }) => service === 'shop'));
});

it('a link to download is for completed backups, ends after 15 minutes, and is told to the ledger', async () => {
  const backup = await keep();
  await api.backupArchives.put(
    backup.objectKey ?? '',
    (async function* () {
      yield Buffer.from('archive');
    })(),
  );
  const path = `/services/shop/databases/backups/${backup.id}/download`;
  const { status, body } = await api.call('GET', path, undefined, MEMBER);
  assert.equal(status, 200);
  assert.equal(body.data.fileName, 'shop_prod-2026-05-04T02-00-00-000Z.pgdump');
  const ttl = Date.parse(body.data.expiresAt) - Date.now();
  assert.ok(ttl > 890_000 && ttl <= 900_000);
  assert.equal(api.backupArchives.download(body.data.url)?.content.toString(), 'archive');
  const told = api.audit.told().filter(({ eventType }) => eventType === 'service.backup_downloaded');
  assert.equal(told.length, 1);
  assert.ok(!JSON.stringify(told).includes(body.data.url) && !api.logged.join('').includes(body.data.url));
});

for (const state of ['running', 'failed', 'skipped', 'missed', 'pruned'] as const) {
  it(`a backup that is ${state} is neither downloaded nor restored`, async () => {
    const backup = await keep({ status: state, objectKey: state === 'pruned' ? 'kept/by/mistake' : null });
    const download = await api.call('GET', `/services/shop/databases/backups/${backup.id}/download`, undefined, MEMBER);
    assert.deepEqual([download.status, download.body.error.code], [409, 'NOT_RESTORABLE']);
    const refused = await restore({ backupId: backup.id, confirm: true });
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'NOT_RESTORABLE']);
  });
}

it('a restore needs a confirmation', async () => {
  const backup = await keep();
  for (const body of [
    { backupId: backup.id },
    { backupId: backup.id, confirm: false },
    { backupId: backup.id, confirm: 'true' },
  ]) {
    const { status, body: reply } = await restore(body);
    assert.deepEqual([status, reply.error.code], [400, 'VALIDATION_FAILED']);
    assert.match(reply.error.message, /confirm/);
  }
  assert.equal(api.backupCommands.running.size, 0);
});

it('a dry run of a restore answers as the restore would, and begins nothing', async () => {
  const backup = await keep();
  const body = { backupId: backup.id, confirm: true, mode: 'in-place', dryRun: true };
  const planned = await restore(body);
  assert.equal(planned.status, 200);
  assert.deepEqual(planned.body.data, {
    ...{ backupId: backup.id, service: 'shop', environment: 'prod', mode: 'in-place' },
    ...POSTGRES,
  });
  const path = '/services/shop/databases/restore';
  const refusals: readonly [number, string, object, string][] = [
    [403, 'FORBIDDEN', body, 'acme/viewer'],
    [403, 'FORBIDDEN', body, 'acme/member'],
    [404, 'SERVICE_NOT_FOUND', body, 'other/admin'],
    [404, 'BACKUP_NOT_FOUND', { ...body, backupId: 'bak_none' }, 'acme/admin'],
    [409, 'NOT_RESTORABLE', { ...body, environment: 'uat' }, 'acme/admin'],
    [
      409,
      'NOT_RESTORABLE',
      { ...body, backupId: (await keep({ status: 'failed', objectKey: null })).id },
      'acme/admin',
    ],
    [400, 'VALIDATION_FAILED', { ...body, confirm: false }, 'acme/admin'],
  ];
  for (const [status, code, asked, user] of refusals) {
    const answer = await api.call('POST', path, asked, { 'x-test-user': user });
    assert.deepEqual([answer.status, answer.body.error.code], [status, code], user);
  }
  api.databases.clear();
  assert.deepEqual((await restore(body)).body.error.code, 'DATABASE_NOT_FOUND');
  assert.equal(api.backupCommands.running.size, 0);
});

it('a restore that names another environment than the backup has is refused', async () => {
  const backup = await keep();
  const refused = await restore({ backupId: backup.id, confirm: true, environment: 'uat' });
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'NOT_RESTORABLE']);
  assert.match(refused.body.error.message, /is a backup of prod, not of uat/);
});

it('a restore swaps unless it is told to write in place, and then names its safety backup', async () => {
  const backup = await keep();
  const swap = await restore({ backupId: backup.id, confirm: true });
  assert.deepEqual([swap.status, swap.body.data.mode, swap.body.data.safetyBackupId], [202, 'swap', null]);
  const busy = await restore({ backupId: backup.id, confirm: true });
  assert.deepEqual([busy.status, busy.body.error.code], [409, 'RESTORE_IN_PROGRESS']);
  assert.equal(busy.body.error.details.restoreId, swap.body.data.restoreId);
  const path = `/services/shop/databases/restores/${swap.body.data.restoreId}`;
  assert.equal((await api.call('GET', path, undefined, MEMBER)).body.data.status, 'running');
  assert.equal((await api.call('POST', `${path}/cancel`, undefined, ADMIN)).status, 202);
  assert.equal((await api.call('POST', `${path}/cancel`, undefined, ADMIN)).status, 409);
  const inPlace = await restore({ backupId: backup.id, confirm: true, mode: 'in-place' });
  assert.match(inPlace.body.data.safetyBackupId, /^bak_/);
});

it('a restore into a database that the service does not have any more is refused', async () => {
  const backup = await keep();
  for (const databases of [[], [MONGO], [{ ...POSTGRES, databaseName: 'other_prod' }]]) {
    api.databases.set('svc_shop/prod', databases);
    const { status, body } = await restore({ backupId: backup.id, confirm: true });
    assert.deepEqual([status, body.error.code], [404, 'DATABASE_NOT_FOUND']);
  }
  assert.equal(api.backupCommands.running.size, 0);
});

it('backups of another service are not there, neither to read nor to restore', async () => {
  const foreign = await keep({ serviceId: 'svc_blog', service: 'blog' });
  for (const [method, path, body] of [
    ['GET', `/services/shop/databases/backups/${foreign.id}`],
    ['GET', `/services/shop/databases/backups/${foreign.id}/download`],
    ['POST', `/services/shop/databases/backups/${foreign.id}/cancel`],
    ['POST', '/services/shop/databases/restore', { backupId: foreign.id, confirm: true }],
  ] as const) {
    const answer = await api.call(method, path, body, ADMIN);
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'BACKUP_NOT_FOUND'], path);
  }
  const other = await api.call('GET', `/services/blog/databases/backups/${foreign.id}`, undefined, ADMIN);
  assert.deepEqual([other.status, other.body.error.code], [404, 'SERVICE_NOT_FOUND']);
});

it('a service that has the database of a removed one back has its backups and restores, and no other service has', async () => {
  const of = { serviceId: 'svc_first', service: 'again', databaseName: 'again_prod', startedAt: new Date() } as const;
  const backup = await keep(of);
  const earlier = restoreRecord({ ...of, id: 'rst_earlier', backupId: backup.id });
  await api.restores.insert(earlier);
  await api.services.upsert({ id: 'svc_second', name: 'again', org: 'againorg' }, {});
  const database = { engine: 'postgres', databaseName: 'again_prod' } as const;
  api.databases.set('svc_second/prod', [database]);
  const headers = { 'x-test-user': 'againorg/admin/usr_root' };
  const call = (method: 'GET' | 'POST', path: string, body?: object) => api.call(method, path, body, headers);
  const reads: readonly ['GET' | 'POST', string, object?][] = [
    ['GET', `/services/again/databases/backups/${backup.id}`],
    ['GET', `/services/again/databases/restores/${earlier.id}`],
    ['POST', '/services/again/databases/restore', { backupId: backup.id, confirm: true }],
  ];
  const seen = async () => {
    const lists = ['/services/again/databases/backups', '/services/again/databases/restores'];
    const [backups, restores] = await Promise.all(lists.map(async (path) => (await call('GET', path)).body.data.items));
    const service = (await call('GET', '/services/again/databases')).body.data.databases[0].lastCompletedAt;
    const health = (await call('GET', '/databases/backups/health')).body.data.databases;
    return [backups.length, restores.length, service, health.length];
  };
  for (const read of reads) assert.equal((await call(...read)).status, 404, read[1]);
  assert.deepEqual(await seen(), [0, 0, null, 0]);
  const record = databaseRecord({ id: 'postgres/again_prod', database: 'again_prod', serviceId: 'svc_first' });
  await api.databaseRecords.claim(record);
  await api.databaseRecords.keep(record.id, 'svc_first', new Date());
  await api.databaseRecords.adopt(record.id, 'svc_first', { serviceId: 'svc_second', org: 'againorg' });
  for (const read of reads) assert.ok((await call(...read)).status < 300, read[1]);
  assert.deepEqual(await seen(), [1, 2, backup.startedAt.toISOString(), 1]);
  const foreign = await api.call('GET', `/services/shop/databases/backups/${backup.id}`, undefined, ADMIN);
  assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'BACKUP_NOT_FOUND']);
});

it('a service is not removed while a database of it is restored, and is when the restore has ended', async () => {
  await api.services.upsert({ id: 'svc_held', name: 'held', org: 'acme' }, {});
  const of = { serviceId: 'svc_held', service: 'held', databaseName: 'held_prod' } as const;
  const backup = await keep(of);
  api.databases.set('svc_held/prod', [{ engine: 'postgres', databaseName: 'held_prod' }]);
  const body = { backupId: backup.id, confirm: true };
  const { body: started } = await api.call('POST', '/services/held/databases/restore', body, ADMIN);
  const refused = await api.call('DELETE', '/services/held', undefined, ADMIN);
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'RESTORE_IN_PROGRESS']);
  assert.equal(refused.body.error.details.restoreId, started.data.restoreId);
  // Its workflow is gone, though its record says that it runs.
  api.backupCommands.running.clear();
  assert.ok((await api.call('DELETE', '/services/held', undefined, ADMIN)).status < 300);
});

for (const [what, path, method, code] of [
  ['cancelled', 'cancel', 'POST', 'CONFLICT'],
  ['downloaded', 'download', 'GET', 'NOT_RESTORABLE'],
] as const) {
  it(`a backup is not ${what} under the name of another environment`, async () => {
    const backup = await keep();
    const at = `/services/shop/databases/backups/${backup.id}/${path}?environment=uat`;
    const { status, body } = await api.call(method, at, undefined, MEMBER);
    assert.deepEqual([status, body.error.code], [409, code]);
    assert.match(body.error.message, /is a backup of prod, not of uat/);
  });
}

it('a backup that runs is cancelled once', async () => {
  const { body } = await backUp();
  const path = `/services/shop/databases/backups/${body.data.backupId}/cancel`;
  assert.equal((await api.call('POST', path, undefined, MEMBER)).status, 202);
  assert.equal((await api.call('POST', path, undefined, MEMBER)).status, 409);
});

it('health names what has no backup', async () => {
  await keep({
    databaseName: 'sick',
    startedAt: new Date(),
    status: 'failed',
    problem: { code: 'X', message: 'no disk' },
  });
  const { status, body } = await api.call('GET', '/databases/backups/health');
  assert.equal(status, 200);
  const [worst] = body.data.databases;
  assert.deepEqual([worst.databaseName, worst.state, worst.lastNight.reason], ['sick', 'failing', 'no disk']);
});

it('the databases of a service are listed with their nights, those never backed up as well', async () => {
  await api.services.upsert({ id: 'svc_many', name: 'many', org: 'acme' }, {});
  api.databases.set('svc_many/prod', [{ engine: 'postgres', databaseName: 'many_prod' }]);
  api.databases.set('svc_many/uat', [{ engine: 'postgres', databaseName: 'many_uat' }]);
  const of = { serviceId: 'svc_many', service: 'many', databaseName: 'many_prod' } as const;
  const today = new Date().toISOString().slice(0, 10);
  const at = new Date(`${today}T00:00:00.000Z`);
  const verification = { at: new Date(), problem: null };
  const made = await keep({ ...of, startedAt: at, night: today, verification });
  await keep({ ...of, startedAt: at, night: null, kind: 'manual', tier: 'manual' });
  await keep({ ...of, serviceId: 'svc_before', startedAt: new Date(), status: 'failed' });
  const { status, body } = await api.call('GET', '/services/many/databases', undefined, MEMBER);
  assert.equal(status, 200);
  const [prod, uat] = body.data.databases;
  assert.deepEqual([prod.environment, prod.databaseName, prod.state], ['prod', 'many_prod', 'healthy']);
  assert.deepEqual(prod.nights, [
    { night: today, backupId: made.id, status: 'completed', isVerified: true, reason: null },
  ]);
  assert.deepEqual([uat.databaseName, uat.state, uat.lastCompletedAt, uat.nights], ['many_uat', 'stale', null, []]);
  assert.match(body.data.nextNightAt, /T02:00:00/);
});

it('the last backup of a database is named however old it is', async () => {
  await api.services.upsert({ id: 'svc_old', name: 'old', org: 'acme' }, {});
  api.databases.set('svc_old/prod', [POSTGRES]);
  const startedAt = new Date('2020-01-01T00:00:00.000Z');
  await keep({ serviceId: 'svc_old', service: 'old', kind: 'manual', tier: 'manual', night: null, startedAt });
  const { body } = await api.call('GET', '/services/old/databases', undefined, MEMBER);
  assert.equal(body.data.databases[0].lastCompletedAt, startedAt.toISOString());
});

it('health names no database that was dropped', async () => {
  await keep({ databaseName: 'gone_prod', service: 'gone', status: 'failed', objectKey: null });
  const names = async () => {
    const { body } = await api.call('GET', '/databases/backups/health');
    return body.data.databases.map(({ databaseName }: { databaseName: string }) => databaseName);
  };
  assert.ok(!(await names()).includes('gone_prod'), 'it is too old');
  await keep({ databaseName: 'gone_prod', service: 'gone', startedAt: new Date(Date.now() - 3 * 86_400_000) });
  assert.ok((await names()).includes('gone_prod'));
  api.dropped.add('postgres/gone_prod');
  assert.ok(!(await names()).includes('gone_prod'));
});

it('health shows an org the databases of its services alone, also where an earlier service had the name', async () => {
  await api.services.upsert({ id: 'svc_well', name: 'well', org: 'wellorg' }, {});
  const of = { service: 'well', databaseName: 'well_prod', startedAt: new Date() } as const;
  await keep({ ...of, serviceId: 'svc_before', status: 'failed', databaseName: 'secret_prod' });
  await keep({ ...of, serviceId: 'svc_well' });
  const seen = async (user: string) => {
    const { body } = await api.call('GET', '/databases/backups/health', undefined, { 'x-test-user': user });
    return body.data.databases.map(({ databaseName, org }: { databaseName: string; org: string }) => [
      databaseName,
      org,
    ]);
  };
  assert.deepEqual(await seen('wellorg/viewer'), [['well_prod', 'wellorg']]);
  assert.deepEqual(await seen('nowhere/admin'), []);
  assert.ok((await seen('platform/super_admin')).some(([name = '']) => name === 'secret_prod'));
});

it('health names a database without any backup after 36 hours, to those who see its service', async () => {
  await api.services.upsert({ id: 'svc_bare', name: 'bare', org: 'bareorg' }, {});
  const of = { serviceId: 'svc_bare', service: 'bare', org: 'bareorg' } as const;
  await api.databaseRecords.claim(databaseRecord({ ...of, database: 'bare_prod' }));
  await api.databaseRecords.claim(databaseRecord({ ...of, database: 'bare_uat', createdAt: new Date() }));
  const seen = async (user: string) => {
    const { body } = await api.call('GET', '/databases/backups/health', undefined, { 'x-test-user': user });
    return body.data.databases
      .filter(({ service }: { service: string }) => service === 'bare')
      .map(({ databaseName, state, lastCompletedAt }: Record<string, unknown>) => [
        databaseName,
        state,
        lastCompletedAt,
      ]);
  };
  const named = [['bare_prod', 'stale', null]];
  assert.deepEqual(await seen('bareorg/viewer'), named);
  assert.deepEqual(await seen('platform/super_admin'), named);
  assert.deepEqual(await seen('other/admin'), []);
});
