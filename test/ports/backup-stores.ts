import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Backup } from '../../domain/backups/backup.ts';
import type { BackupFilter, BackupStore, RestoreStore } from '../../domain/backups/ports.ts';
import { backupRecord, restoreRecord } from '../support/backup-record.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 4, 4, 2, minute));

/** What every {@link BackupStore} guarantees. Services and nights are new for each test, so one store serves them all. */
export function backupStoreSuite(store: () => BackupStore): void {
  describe('BackupStore', () => {
    const keep = async (name: string, changes: Partial<Backup> = {}): Promise<Backup> => {
      const backup = backupRecord({
        id: `bak_${name}`,
        serviceId: `svc_${name.split('-')[0]}`,
        night: null,
        ...changes,
      });
      assert.equal(await store().insert(backup), true);
      return backup;
    };

    it('gives back what was inserted, whatever tables are called', async () => {
      const figures = { 'public.orders': 3, $where: 0, 'a.b.c': 7, '': 1 };
      const backup = await keep('asis', { figures, verification: { at: at(9), problem: { code: 'X', message: 'y' } } });
      assert.deepEqual(await store().find(backup.id), backup);
      assert.equal(await store().find('bak_nobody'), null);
    });

    it('keeps one record of an id, and of many at once the first', async () => {
      const backup = backupRecord({ id: 'bak_once', serviceId: 'svc_once', night: null });
      const taken = await Promise.all([1, 2, 3].map((size) => store().insert({ ...backup, sizeBytes: size })));
      assert.deepEqual(taken.filter(Boolean), [true]);
      assert.equal(await store().insert({ ...backup, status: 'failed' }), false);
      assert.equal((await store().find('bak_once'))?.status, 'completed');
    });

    it('changes a backup of the status that was read, once', async () => {
      await keep('turns', { status: 'running', finishedAt: null });
      const end = { status: 'failed', finishedAt: at(5), problem: { code: 'DUMP_FAILED', message: 'why' } } as const;
      const changed = await Promise.all([1, 2, 3].map(() => store().change('bak_turns', 'running', end)));
      assert.deepEqual(changed.filter(Boolean), [true]);
      assert.equal(await store().change('bak_turns', 'running', { status: 'completed' }), false);
      const { status, finishedAt, problem } = (await store().find('bak_turns')) ?? {};
      assert.deepEqual({ status, finishedAt, problem }, end);
      assert.equal(await store().change('bak_nobody', 'running', end), false);
    });

    it('notes a key once, while the backup runs', async () => {
      await keep('keys', { status: 'running', objectKey: null, uploads: [] });
      const noted = await Promise.all(['a', 'a', 'b'].map((key) => store().noteUpload('bak_keys', key)));
      assert.deepEqual(noted.sort(), [false, true, true]);
      await store().change('bak_keys', 'running', { status: 'completed', objectKey: 'a' });
      assert.equal(await store().noteUpload('bak_keys', 'c'), false);
      assert.equal(await store().noteUpload('bak_nobody', 'c'), false);
      assert.deepEqual([...((await store().find('bak_keys'))?.uploads ?? [])].sort(), ['a', 'b']);
    });

    it('inserts many, and leaves those as they are that are there', async () => {
      await keep('many-1', { tier: 'weekly' });
      await store().insertAll([]);
      const given = ['many-1', 'many-2', 'many-3'].map((name) => backupRecord({ id: `bak_${name}`, tier: 'daily' }));
      for (let again = 0; again < 2; again += 1) await store().insertAll(given);
      const found = await Promise.all(given.map(({ id }) => store().find(id)));
      assert.deepEqual(
        found.map((backup) => backup?.tier),
        ['weekly', 'daily', 'daily'],
      );
    });

    it('lists no figures, of which a service decides how many there are', async () => {
      await keep('figured', { figures: { 'public.orders': 3 } });
      const { items } = await store().list({}, { cursor: null, limit: 200 });
      const found = items.find(({ id }) => id === 'bak_figured');
      assert.ok(found !== undefined && !('figures' in found));
      assert.deepEqual((await store().find('bak_figured'))?.figures, { 'public.orders': 3 });
    });

    it('notes what the attempt found that began last to verify a backup, and of no other', async () => {
      const verified = async () => (await store().find('bak_proven'))?.verification;
      assert.equal(await store().beginVerification('bak_nobody', 'a', at(1)), false);
      await keep('proven');
      await store().setVerification('bak_proven', 'a', { at: at(1), problem: null });
      assert.equal(await verified(), null);
      assert.equal((await store().find('bak_proven'))?.triedAt, null);
      assert.equal(await store().beginVerification('bak_proven', 'a', at(1)), true);
      assert.equal(await store().beginVerification('bak_proven', 'b', at(2)), true);
      assert.deepEqual((await store().find('bak_proven'))?.triedAt, at(2));
      await store().setVerification('bak_proven', 'a', { at: at(1), problem: null });
      assert.equal(await verified(), null);
      await store().setVerification('bak_proven', 'b', { at: at(2), problem: null });
      assert.deepEqual(await verified(), { at: at(2), problem: null });
    });

    it('notes progress while a backup runs, and a verification while it has its archive', async () => {
      await keep('notes', { status: 'running', sizeBytes: null });
      await store().setProgress('bak_notes', 5);
      assert.equal(await store().beginVerification('bak_notes', 'a', at(1)), false);
      await store().setVerification('bak_notes', 'a', { at: at(1), problem: null });
      assert.equal((await store().find('bak_notes'))?.sizeBytes, 5);
      assert.equal((await store().find('bak_notes'))?.verification, null);
      await store().change('bak_notes', 'running', { status: 'completed', sizeBytes: 9, figures: { t: 1 } });
      await store().setProgress('bak_notes', 6);
      assert.equal(await store().beginVerification('bak_notes', 'a', at(1)), true);
      await store().setVerification('bak_notes', 'a', { at: at(2), problem: null });
      const { sizeBytes, verification, figures } = (await store().find('bak_notes')) ?? {};
      assert.deepEqual(
        { sizeBytes, verification, figures },
        { sizeBytes: 9, verification: { at: at(2), problem: null }, figures: { t: 1 } },
      );
    });

    it('lists what matches, newest first, in pages that miss and repeat nothing', async () => {
      await keep('list-1', { startedAt: at(1), environment: 'uat' });
      await keep('list-2', { startedAt: at(2), engine: 'mongodb', status: 'failed' });
      await keep('list-3', { startedAt: at(2), status: 'running' });
      await keep('list-4', { startedAt: at(3), databaseName: 'other' });
      await keep('unlisted', { startedAt: at(4) });
      const ids = async (filter: BackupFilter): Promise<string> => {
        const found: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await store().list({ serviceId: 'svc_list', ...filter }, { cursor, limit: 1 });
          found.push(...page.items.map(({ id }) => id.slice(-1)));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return found.join('');
      };
      assert.equal(await ids({}), '4321');
      assert.equal(await ids({ environment: 'uat' }), '1');
      assert.equal(await ids({ engine: 'postgres' }), '431');
      assert.equal(await ids({ engine: 'postgres', databaseName: 'shop_prod' }), '31');
      assert.equal(await ids({ statuses: ['failed', 'running'] }), '32');
      assert.equal(await ids({ since: at(2) }), '432');
      assert.equal(await ids({ service: 'blog' }), '');
    });

    it('lists those of several services, and of no other', async () => {
      const [one, two] = [await keep('several'), await keep('more', { startedAt: at(9) })];
      await keep('others');
      const ids = async (serviceIds: readonly string[]): Promise<readonly string[]> =>
        (await store().list({ serviceIds }, { cursor: null, limit: 10 })).items.map(({ id }) => id);
      assert.deepEqual(await ids(['svc_several', 'svc_more']), [two.id, one.id]);
      assert.deepEqual(await ids([]), []);
    });

    it('lists databases of no service by that', async () => {
      await keep('nobodys', { serviceId: null, service: null, environment: null, databaseName: 'nobodys' });
      const found = await store().list({ service: null, databaseName: 'nobodys' }, { cursor: null, limit: 10 });
      assert.deepEqual(
        found.items.map(({ id }) => id),
        ['bak_nobodys'],
      );
    });

    it('knows the last night before another that was not missed', async () => {
      for (const night of ['1990-01-01', '1990-02-28', '1990-03-02']) await keep(`night-${night}`, { night });
      await keep('night-missed', { night: '1990-03-01', status: 'missed', objectKey: null });
      assert.equal(await store().lastNightBefore('1990-03-02'), '1990-02-28');
      assert.equal(await store().lastNightBefore('1990-02-28'), '1990-01-01');
      assert.equal(await store().lastNightBefore('1990-01-01'), null);
      const { items } = await store().list({ night: '1990-02-28' }, { cursor: null, limit: 10 });
      assert.deepEqual(
        items.map(({ id }) => id),
        ['bak_night-1990-02-28'],
      );
    });

    it('refuses a cursor that it has not given', async () => {
      await assert.rejects(store().list({}, { cursor: 'x', limit: 1 }), { code: 'VALIDATION_FAILED' });
    });
  });
}

/** What every {@link RestoreStore} guarantees. */
export function restoreStoreSuite(store: () => RestoreStore): void {
  describe('RestoreStore', () => {
    it('keeps a restore once, and changes it while it runs', async () => {
      const restore = restoreRecord({ id: 'rst_once', status: 'running' });
      assert.deepEqual(
        await Promise.all([store().insert(restore), store().insert(restore)]).then((all) => all.filter(Boolean)),
        [true],
      );
      assert.deepEqual(await store().find('rst_once'), restore);
      assert.equal(await store().change('rst_once', { phase: 'swapping', bytesRead: 7 }), true);
      const end = { status: 'completed', phase: 'done', finishedAt: at(9), keptDatabase: 'kept' } as const;
      assert.equal(await store().change('rst_once', end), true);
      assert.equal(await store().change('rst_once', { status: 'failed' }), false);
      assert.deepEqual(await store().find('rst_once'), { ...restore, bytesRead: 7, ...end });
      assert.equal(await store().find('rst_nobody'), null);
    });

    it('changes one that somebody ends for nobody else, and shows it as running until it has ended', async () => {
      const restore = restoreRecord({ id: 'rst_ends', status: 'running' });
      assert.equal(await store().end('rst_ends', {}), false, 'it is not there');
      await store().insert({ ...restore, id: 'rst_ending' });
      for (let again = 0; again < 2; again += 1) assert.equal(await store().end('rst_ending', {}), true);
      assert.equal(await store().change('rst_ending', { phase: 'swapping' }), false);
      assert.equal(await store().insert({ ...restore, id: 'rst_ending' }), false);
      assert.deepEqual(await store().find('rst_ending'), { ...restore, id: 'rst_ending' });
      const end = { status: 'failed', finishedAt: at(9) } as const;
      assert.equal(await store().end('rst_ending', end), true);
      assert.equal(await store().end('rst_ending', { status: 'completed' }), false);
      assert.deepEqual(await store().find('rst_ending'), { ...restore, id: 'rst_ending', ...end });
    });

    it('lists those of all services that run, and those whose old database is kept until it was dropped', async () => {
      const page = { cursor: null, limit: 200 };
      await store().insert(restoreRecord({ id: 'rst_runs', serviceId: 'svc_runs', status: 'running' }));
      await store().insert(restoreRecord({ id: 'rst_keeps', keptDatabase: 'kept', keptUntil: at(9) }));
      const ids = async (list: 'listRunning' | 'listKept') => (await store()[list](page)).items.map(({ id }) => id);
      assert.ok((await ids('listRunning')).includes('rst_runs'));
      assert.ok(!(await ids('listRunning')).includes('rst_keeps'));
      assert.ok((await ids('listKept')).includes('rst_keeps'));
      assert.ok(!(await ids('listKept')).includes('rst_runs'));
      assert.equal(await store().keepUntil('rst_keeps', at(5)), true);
      assert.deepEqual((await store().find('rst_keeps'))?.keptUntil, at(5));
      for (const id of ['rst_runs', 'rst_nobody']) assert.equal(await store().keepUntil(id, at(5)), false);
      for (const id of ['rst_keeps', 'rst_nobody']) await store().forgetKept(id);
      assert.equal(await store().keepUntil('rst_keeps', at(5)), false, 'nothing is kept any more');
      assert.ok(!(await ids('listKept')).includes('rst_keeps'));
      const { keptDatabase, keptUntil } = (await store().find('rst_keeps')) ?? {};
      assert.deepEqual([keptDatabase, keptUntil], [null, null]);
    });

    it('lists those of a service, newest first, in pages', async () => {
      for (const minute of [1, 2, 3]) {
        await store().insert(restoreRecord({ id: `rst_${minute}`, serviceId: 'svc_lists', startedAt: at(minute) }));
      }
      const first = await store().list(['svc_lists'], { cursor: null, limit: 2 });
      const second = await store().list(['svc_lists'], { cursor: first.nextCursor, limit: 2 });
      assert.deepEqual(
        [...first.items, ...second.items].map(({ id }) => id),
        ['rst_3', 'rst_2', 'rst_1'],
      );
      assert.equal(second.nextCursor, null);
    });
  });
}
