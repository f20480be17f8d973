import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import { collect, restoreNames, stream } from '../../ports/dump-tool.ts';
import { type CutPostgres, startCutPostgres } from '../../support/cut-postgres.ts';
import { isPlayed } from '../../support/is-played.ts';

const LIVE = 'shop_prod';
const OWNER = { user: databaseUsers(LIVE)[0], password: 'of the service' };
const RESTORED = ['one', 'two'];
const NOW = [...RESTORED, 'since'];
const patience = () => AbortSignal.timeout(60_000);

/** What a standby has that takes over is what its server had at some moment: it has the statements until then, and none of those after. */
describe('a PostgreSQL server that fails over to an earlier moment of a restore into a new database', {
  timeout: 590_000,
}, () => {
  let on: CutPostgres;
  let archive: Buffer;
  before(async () => {
    on = await startCutPostgres(LIVE, OWNER);
    await on.writeAll(RESTORED);
    archive = (await on.tool.dump(LIVE, collect, { signal: patience() })).stored;
  });
  after(() => on?.stop());

  /** @returns how many statements there were, those of `pg_restore` among them */
  async function restoreUntil(scratch: string, statement: number | null, when: 'before' | 'after'): Promise<number> {
    const killed = new AbortController();
    on.cutter.cutAt(statement, when, () => killed.abort(new Error('killed')));
    const restore = { from: LIVE, scratch };
    await on.cutTool.restoreInto(restore, stream(archive), { signal: killed.signal }).catch(() => undefined);
    assert.equal(on.cutter.wasCut(), statement !== null);
    const statements = on.cutter.asked();
    on.cutter.cutAt(null, when);
    return statements;
  }

  it('puts in place what was restored whole, or says that nothing was swapped', async () => {
    const { scratch: whole } = restoreNames();
    const statements = await restoreUntil(whole, null, 'before');
    await on.tool.drop(whole);
    const seen = new Set<string>();
    for (let statement = 1; statement <= statements; statement += 1) {
      if (!isPlayed(statement) && statement !== statements) continue;
      const when = statement === statements || statement % 2 === 0 ? 'after' : 'before';
      const where = `${when} statement ${statement} of ${statements}`;
      await on.writeAll(NOW);
      const names = { live: LIVE, ...restoreNames() };
      await restoreUntil(names.scratch, statement, when);
      const said = await on.tool.swap(names, { signal: patience() }).then(
        () => 'done',
        ({ code, message }: { code: string; message: string }) => `${code}: ${message.replace(names.scratch, '…')}`,
      );
      seen.add(said);
      assert.deepEqual(await on.valuesOf(), said === 'done' ? RESTORED : NOW, where);
      assert.equal(await on.tool.endSwap(names, { signal: patience() }), said === 'done', where);
      assert.deepEqual(await on.valuesOf(), said === 'done' ? RESTORED : NOW, where);
      await on.tool.drop(names.kept);
    }
    assert.deepEqual([...seen].sort(), [
      'RESTORE_FAILED: The database … is not there: nothing was swapped',
      'RESTORE_FAILED: The database … was not restored to its end: nothing was swapped',
      'done',
    ]);
  });
});
