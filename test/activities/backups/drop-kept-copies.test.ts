import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dropKeptCopies, dropKeptCopy } from '../../../activities/backups/drop-kept-copies.ts';
import { type Restore, scratchName } from '../../../domain/backups/restore.ts';
import { restoreRecord } from '../../support/backup-record.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const signal = AbortSignal.timeout(60_000);
const DAY_MS = 86_400_000;

/** Restores that each keep a database. */
async function keeping(...restores: readonly (Partial<Restore> & { readonly id: string })[]) {
  const parts = await createBackupsParts();
  const { databases } = parts.deps.tools.postgres;
  for (const fields of restores) {
    const keptDatabase = scratchName('kept', fields.id);
    databases.set(keptDatabase, {});
    const keptUntil = new Date(parts.clock.now.getTime() + 7 * DAY_MS);
    await parts.deps.restores.insert(
      restoreRecord({ keptDatabase, keptUntil, serviceId: parts.service.id, ...fields }),
    );
  }
  const kept = () => [...databases.keys()].filter((name) => name.startsWith('fairlead_kept_')).length;
  return { ...parts, kept };
}

it('a kept database is dropped when its time has come, once, and the ledger is told', async () => {
  const id = 'rst_00000000000000000001';
  const { deps, clock, kept } = await keeping({ id });
  clock.now = new Date(clock.now.getTime() + 7 * DAY_MS - 1);
  assert.deepEqual(await dropKeptCopies(deps, signal), { dropped: 0, problems: [] });
  assert.equal(kept(), 1);
  clock.now = new Date(clock.now.getTime() + 1);
  assert.deepEqual(await dropKeptCopies(deps, signal), { dropped: 1, problems: [] });
  assert.deepEqual(await dropKeptCopies(deps, signal), { dropped: 0, problems: [] });
  assert.equal(kept(), 0);
  assert.equal((await deps.restores.find(id))?.keptDatabase, null);
  assert.deepEqual(
    deps.audit.told().map(({ eventType, orgSlug, data }) => [eventType, orgSlug, data.keptDatabase]),
    [['backup.kept_database_dropped', 'acme', scratchName('kept', id)]],
  );
});

it('a restore of before, without such a time, counts from its end', async () => {
  const finishedAt = new Date('2026-05-04T10:00:00Z');
  const { deps, clock, kept } = await keeping({ id: 'rst_00000000000000000002', keptUntil: null, finishedAt });
  clock.now = new Date(finishedAt.getTime() + 7 * DAY_MS - 1);
  await dropKeptCopies(deps, signal);
  assert.equal(kept(), 1);
  clock.now = new Date(finishedAt.getTime() + 7 * DAY_MS);
  await dropKeptCopies(deps, signal);
  assert.equal(kept(), 0);
});

it('one that cannot be dropped keeps no other, and is tried again', async () => {
  const [bad, good] = ['rst_00000000000000000003', 'rst_00000000000000000004'];
  const { deps, clock, kept } = await keeping({ id: bad }, { id: good });
  clock.now = new Date(clock.now.getTime() + 8 * DAY_MS);
  const { postgres } = deps.tools;
  const drop = async (name: string) => {
    if (name === scratchName('kept', bad)) throw new Error('in use');
    await postgres.drop(name);
  };
  const outcome = await dropKeptCopies({ ...deps, tools: { postgres: { ...postgres, drop } } }, signal);
  assert.deepEqual([outcome.dropped, outcome.problems.length, kept()], [1, 1, 1]);
  assert.deepEqual(await dropKeptCopies(deps, signal), { dropped: 1, problems: [] });
});

it('nothing is dropped by what a record names, and nothing of a restore that runs', async () => {
  const { deps, clock } = await keeping(
    { id: 'rst_00000000000000000005', keptDatabase: 'shop_prod' },
    { id: 'rst_00000000000000000006', status: 'running' },
  );
  clock.now = new Date(clock.now.getTime() + 8 * DAY_MS);
  await dropKeptCopies(deps, signal);
  const { databases } = deps.tools.postgres;
  assert.ok(databases.has('shop_prod'));
  assert.ok(databases.has(scratchName('kept', 'rst_00000000000000000006')));
});

it('one is dropped before its day for whoever asks, and nothing where it is gone or its restore runs', async () => {
  const [id, running] = ['rst_00000000000000000007', 'rst_00000000000000000008'];
  const { deps, kept } = await keeping({ id }, { id: running, status: 'running' });
  const by = { requestedBy: 'usr_ann', requestId: 'req_1' };
  for (const restoreId of [id, id, running, 'rst_none']) await dropKeptCopy(deps, { restoreId, ...by });
  assert.equal(kept(), 1, 'that of the restore that runs');
  assert.equal((await deps.restores.find(id))?.keptDatabase, null);
  assert.deepEqual(
    deps.audit.told().map(({ eventType, metadata }) => [eventType, metadata.actor]),
    [['backup.kept_database_dropped', 'usr_ann']],
  );
});
