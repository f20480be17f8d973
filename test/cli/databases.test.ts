import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { databaseRecord, storedLogin } from '../ports/database-records.ts';
import { backupRecord, restoreRecord } from '../support/backup-record.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type CliResult, runCli, startCli } from './run-cli.ts';

/** The commands against a real builder, whose workflows the test ends. */
describe('fairlead db', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    api.databases.set('svc_shop/prod', [
      { engine: 'mongodb', databaseName: 'shop_prod' },
      { engine: 'postgres', databaseName: 'shop_prod' },
    ]);
  });
  after(() => api.stop());
  beforeEach(() => api.backupCommands.running.clear());

  const run = (...args: string[]): Promise<CliResult> =>
    runCli({ url: api.address }, ['db', ...args, '--service', 'shop'], { env: { FAIRLEAD_KEY: KEY } });
  const underWay = async (): Promise<string> => {
    await waitUntil('the work to begin', () => api.backupCommands.running.size === 1);
    return [...api.backupCommands.running.values()][0]?.id ?? '';
  };

  it('backup waits for the end, and says how large the archive is', async () => {
    const running = run('backup', '--type', 'postgres');
    const id = await underWay();
    await waitUntil('its record', async () => (await api.backups.find(id)) !== null);
    await api.backups.change(id, 'running', { status: 'completed', sizeBytes: 2_048, finishedAt: new Date() });
    const { code, stdout, stderr } = await running;
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`${id} completed: 2 KiB`));
    assert.match(stderr, /backs up shop_prod \(postgres\)/);
  });

  it('backup that fails ends with 1 and the reason; one that is under way with its id', async () => {
    const running = run('backup');
    const id = await underWay();
    await waitUntil('its record', async () => (await api.backups.find(id)) !== null);
    const second = await run('backup', '--detach');
    assert.equal(second.code, 6, second.stderr);
    assert.match(second.stderr, new RegExp(id));
    const problem = { code: 'DUMP_FAILED', message: 'the disk is full' };
    await api.backups.change(id, 'running', { status: 'failed', problem, finishedAt: new Date() });
    const { code, stdout } = await running;
    assert.deepEqual([code, stdout.trim()], [1, `${id} failed: the disk is full`]);
  });

  it('backup of an engine without backups is refused with the reason, and of an unknown one with those that are known', async () => {
    const redis = await run('backup', '--type', 'redis');
    assert.equal(redis.code, 2, redis.stderr);
    assert.match(redis.stderr, /redis: Redis is a cache: its databases are not backed up/);
    assert.match((await run('backup', '--type', 'oracle')).stderr, /It is one of mongodb, postgres/);
  });

  it('backups lists them with their proof, and as JSON', async () => {
    await api.backups.insert(backupRecord({ id: 'bak_proven', verification: { at: new Date(), problem: null } }));
    const { stdout } = await run('backups', '--type', 'postgres');
    assert.match(stdout, /bak_proven +completed +postgres +daily +1000 B/);
    const { data } = JSON.parse((await run('backups', '--json')).stdout);
    assert.ok(data.items.some(({ backupId }: { backupId: string }) => backupId === 'bak_proven'));
  });

  it('backup-download prints the link alone on stdout', async () => {
    const backup = backupRecord({ id: 'bak_download' });
    await api.backups.insert(backup);
    await api.backupArchives.put(
      backup.objectKey ?? '',
      (async function* () {
        yield Buffer.from('archive');
      })(),
    );
    const { stdout, stderr } = await run('backup-download', 'bak_download');
    assert.equal(api.backupArchives.download(stdout.trim())?.content.toString(), 'archive');
    assert.match(stderr, /Valid until/);
  });

  it('restore asks first, says what becomes of what is there, and follows to the end', async () => {
    await api.backups.insert(backupRecord({ id: 'bak_restore' }));
    const unasked = await run('restore', 'bak_restore');
    assert.equal(unasked.code, 2);
    assert.match(unasked.stderr, /shop_prod of shop in prod \(postgres\) becomes what it was/);
    assert.equal(api.backupCommands.running.size, 0);
    const elsewhere = await run('restore', 'bak_restore', '--yes', '-e', 'uat');
    assert.match(elsewhere.stderr, /is a backup of prod, not of uat/);
    const running = run('restore', 'bak_restore', '--yes');
    const id = await underWay();
    await waitUntil('its record', async () => (await api.restores.find(id)) !== null);
    await api.restores.change(id, { status: 'completed', keptDatabase: 'fairlead_kept_x', finishedAt: new Date() });
    const { code, stdout, stderr } = await running;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /shop_prod is restored; what it had is kept as fairlead_kept_x/);
  });

  it('nobody is asked to confirm a restore that is refused', async () => {
    await api.backups.insert(backupRecord({ id: 'bak_pruned', status: 'pruned', objectKey: null }));
    const { code, stderr } = await run('restore', 'bak_pruned');
    assert.deepEqual([code, /only a completed one/.test(stderr), /--yes/.test(stderr)], [6, true, false]);
  });

  it('a backup of another environment is refused by whatever names it', async () => {
    await api.backups.insert(backupRecord({ id: 'bak_of_prod', status: 'running' }));
    for (const command of ['backup-download', 'backup-cancel']) {
      const { code, stderr } = await run(command, 'bak_of_prod', '-e', 'uat');
      assert.equal(code, 6, command);
      assert.match(stderr, /bak_of_prod is a backup of prod, not of uat/);
    }
    await api.restores.insert(restoreRecord({ id: 'rst_of_prod', status: 'running' }));
    const restore = await run('restore-cancel', 'rst_of_prod', '-e', 'uat');
    assert.deepEqual([restore.code, /rst_of_prod is a restore of prod/.test(restore.stderr)], [6, true]);
  });

  it('what a command proposes is about the same service, environment and engine', async () => {
    const empty = await run('backups', '--type', 'mongodb', '-e', 'uat');
    assert.match(empty.stdout, /`fairlead db backup --type mongodb --service shop -e uat`/);
    api.databases.set('svc_shop/uat', [{ engine: 'postgres', databaseName: 'shop_uat' }]);
    await api.backups.insert(backupRecord({ id: 'bak_uat', environment: 'uat', databaseName: 'shop_uat' }));
    const unasked = await run('restore', 'bak_uat', '-e', 'uat');
    assert.match(unasked.stderr, /`fairlead db restore bak_uat --service shop -e uat --yes`/);
  });

  it('restores are listed with how far they are, and cancelled', async () => {
    await api.backups.insert(backupRecord({ id: 'bak_again' }));
    const started = await run('restore', 'bak_again', '--yes', '--detach', '--quiet');
    const id = started.stdout.trim();
    await api.restores.change(id, { phase: 'safety-backup' });
    const listed = await run('restores');
    assert.match(
      listed.stdout,
      new RegExp(`${id} +running +prod +postgres +bak_again .*backs up what the database has now`),
    );
    assert.match((await run('restore-cancel', id)).stdout, new RegExp(`${id} is being cancelled`));
    assert.equal((await run('restore-cancel', id)).code, 6);
    assert.equal((await run('restore-cancel', 'rst_none')).code, 3);
  });

  it('Ctrl-C leaves a restore alone, and says how to see and to stop it', async () => {
    await api.backups.insert(backupRecord({ id: 'bak_left' }));
    const args = ['db', 'restore', 'bak_left', '--yes', '--service', 'shop'];
    const running = startCli({ url: api.address }, args, { env: { FAIRLEAD_KEY: KEY } });
    const id = await underWay();
    await waitUntil('it to be followed', () => running.text().includes(`${id} restores bak_left`));
    running.child.kill('SIGINT');
    const { code, stderr } = await running.done;
    assert.equal(code, 130);
    assert.match(stderr, new RegExp(`The restore ${id} goes on by itself`));
    assert.match(stderr, new RegExp(`db restores --service shop.*db restore-cancel ${id} --service shop`));
    assert.equal(api.backupCommands.running.size, 1);
  });

  it('why a backup failed stands apart from its proof', async () => {
    const problem = { code: 'CANCELLED', message: 'somebody cancelled it' };
    await api.backups.insert(backupRecord({ id: 'bak_told', status: 'failed', objectKey: null, problem }));
    const { stdout } = await run('backups');
    const [head = ''] = stdout.split('\n');
    const line = stdout.split('\n').find((each) => each.includes('bak_told')) ?? '';
    assert.equal(line.indexOf('somebody'), head.indexOf('REASON'));
  });

  it('a backup that is not there, and one of another state, end with their own codes', async () => {
    assert.equal((await run('backup-download', 'bak_none')).code, 3);
    await api.backups.insert(backupRecord({ id: 'bak_failed', status: 'failed', objectKey: null }));
    assert.equal((await run('restore', 'bak_failed', '--yes')).code, 6);
    assert.equal((await run('backup-cancel', 'bak_failed')).code, 6);
  });

  for (const [what, before] of [
    ['makes a login', { next: null, retiring: null }],
    ['goes on with one that waited', { next: null, retiring: 'shop_uat_b' }],
  ] as const) {
    it(`rotate ${what}, and says when the one before has ended`, async () => {
      const id = `postgres/${what}`;
      const fields = { id, service: 'shop', serviceId: 'svc_shop', database: 'shop_uat', environment: 'uat' } as const;
      const record = { ...databaseRecord(fields), ...before };
      await api.databaseRecords.claim(record);
      const running = run('rotate', '--env', 'uat');
      await waitUntil('the rotation to be asked for', () => api.rotations.length === 1);
      if (before.retiring === null) {
        const next = { ...storedLogin('shop_uat_b', 'next'), issuedAt: new Date('2026-06-01T00:00:00Z') };
        await api.databaseRecords.prepareLogin(id, record.login, next);
        await api.databaseRecords.promoteLogin(id, next);
      }
      const { login, retiring } = (await api.databaseRecords.find(id)) ?? record;
      await api.databaseRecords.endRetiring(id, login, retiring ?? '');
      api.rotations.splice(0);
      const { code, stdout, stderr } = await running;
      assert.equal(code, 0, stderr + stdout);
      assert.match(stdout, /the login before has ended/);
      await api.databaseRecords.keep(id, 'svc_shop', new Date());
    });
  }

  it('rotate of one that is under way says so, since when and what it waits for, and takes the end of that one for its own', async () => {
    const id = 'postgres/slow_sandbox';
    const fields = {
      id,
      service: 'shop',
      serviceId: 'svc_shop',
      database: 'slow_sandbox',
      environment: 'sandbox',
    } as const;
    const record = databaseRecord(fields);
    await api.databaseRecords.claim(record);
    const next = { ...storedLogin('slow_sandbox_b', 'next'), issuedAt: new Date(Date.now() - 3 * 3_600_000) };
    await api.databaseRecords.prepareLogin(id, record.login, next);
    await api.databaseRecords.promoteLogin(id, next);
    const wait = { for: 'next-night', buildId: 'bld_1', reason: 'the restart failed', since: new Date() } as const;
    await api.databaseRecords.noteWait(id, wait);
    const listed = await run('logins');
    assert.match(
      listed.stderr,
      /slow_sandbox: a rotation began 3h ago, and waits for the next night; .*the restart failed/,
    );
    const continued = await run('rotate', '-e', 'sandbox', '--detach');
    assert.match(continued.stderr, /slow_sandbox \(postgres\) goes on: a rotation began 3h ago.*the restart failed/);
    await api.databaseRecords.noteWait(id, { ...wait, for: 'restart', reason: null });
    const running = run('rotate', '--env', 'sandbox');
    await waitUntil('it to be joined', () => api.rotations.length === 2);
    await api.databaseRecords.endRetiring(id, next, record.login.user);
    api.rotations.splice(0);
    const { code, stdout, stderr } = await running;
    assert.equal(code, 0, stderr + stdout);
    assert.match(
      stderr,
      /is being given a new login already: a rotation began 3h ago, and waits for the restart of the workload \(bld_1\)/,
    );
    assert.match(stdout, /the login before has ended/);
    await api.databaseRecords.keep(id, 'svc_shop', new Date());
  });
});
