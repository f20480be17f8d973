import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import { collect, stream } from '../../ports/dump-tool.ts';
import { type CutPostgres, startCutPostgres } from '../../support/cut-postgres.ts';
import { isPlayed } from '../../support/is-played.ts';
import { waitUntil } from '../../support/wait-until.ts';

const DATABASE = 'shop_prod';
const OWNER = { user: databaseUsers(DATABASE)[0], password: 'of the service' };
const READER = { user: `${DATABASE}_aaaaaaaaaa_a`, password: 'other' };
const OLD = ['one', 'two'];
const NEW = [...OLD, 'since'];
const patience = () => AbortSignal.timeout(60_000);

describe('a restore of PostgreSQL in place whose worker is gone', { timeout: 590_000 }, () => {
  let on: CutPostgres;
  let archive: Buffer;
  before(async () => {
    on = await startCutPostgres(DATABASE, OWNER);
    await on.writeAll(OLD);
    await on.postgres.server.consumers?.admit(DATABASE, READER, 'read', patience());
    archive = (await on.tool.dump(DATABASE, collect, { signal: patience() })).stored;
  });
  after(() => on?.stop());

  /** Whoever uses the database does so as before, and no role of the restore is left. */
  async function isWhole(where: string): Promise<readonly string[]> {
    const values = await on.valuesOf(OWNER);
    assert.deepEqual(await on.valuesOf(READER), values, where);
    const left = await on.postgres.query("SELECT rolname FROM pg_roles WHERE rolname LIKE 'fairlead\\_%'");
    assert.deepEqual(left, [], where);
    return values;
  }

  /** @returns how many statements there were, those of `pg_restore` among them */
  async function restoreUntil(statement: number | null, when: 'before' | 'after'): Promise<number> {
    const killed = new AbortController();
    on.cutter.cutAt(statement, when, () => killed.abort(new Error('killed')));
    const restored = await on.cutTool.restoreInPlace(DATABASE, stream(archive), { signal: killed.signal }).then(
      () => true,
      () => false,
    );
    assert.deepEqual([on.cutter.wasCut(), restored], statement === null ? [false, true] : [true, false]);
    const statements = on.cutter.asked();
    on.cutter.cutAt(null, when);
    return statements;
  }

  it('is ended whole wherever that was: all is as it was, or as it was dumped, to everybody who uses it', async () => {
    const statements = await restoreUntil(null, 'before');
    const seen = new Set<string>();
    for (let statement = 1; statement <= statements; statement += 1) {
      if (!isPlayed(statement)) continue;
      const when = statement % 2 === 0 ? 'before' : 'after';
      await on.writeAll(NEW);
      await restoreUntil(statement, when);
      for (let again = 0; again < 2; again += 1) await on.tool.reopen(DATABASE, { signal: patience() });
      const values = await isWhole(`killed ${when} statement ${statement} of ${statements}`);
      seen.add(values.join());
    }
    assert.deepEqual([...seen].sort(), [OLD.join(), NEW.join()]);
  });

  it('and which goes on unseen, by a worker that was paused, changes nothing once it was ended', async () => {
    await on.writeAll(NEW);
    const goesOn = Promise.withResolvers<void>();
    async function* paused(): AsyncGenerator<Uint8Array> {
      yield archive.subarray(0, -40);
      await goesOn.promise;
      yield archive.subarray(-40);
    }
    const restoring = on.tool.restoreInPlace(DATABASE, paused(), { signal: patience() });
    restoring.catch(() => undefined);
    await waitUntil('it is at work', async () => {
      const text =
        "SELECT FROM pg_stat_activity WHERE usename LIKE 'fairlead\\_restorer\\_%' AND xact_start IS NOT NULL";
      return (await on.postgres.query(text)).length > 0;
    });
    await on.tool.reopen(DATABASE, { signal: patience() });
    await on.writeAll([...NEW, 'after its end']);
    goesOn.resolve();
    await assert.rejects(restoring, { code: 'RESTORE_FAILED' });
    assert.deepEqual(await isWhole('it was paused'), [...NEW, 'after its end']);
  });
});
