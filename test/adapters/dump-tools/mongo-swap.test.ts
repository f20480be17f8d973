import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DumpOptions, DumpTool } from '../../../domain/backups/ports.ts';
import { collect, restoreNames, stream } from '../../ports/dump-tool.ts';
import { isPlayed } from '../../support/is-played.ts';
import { type MongoCutter, startMongoCutter } from '../../support/mongo-cutter.ts';
import { type ServiceMongo, startServiceMongo } from '../../support/start-service-mongo.ts';

const patience = () => AbortSignal.timeout(60_000);
const OLD = ['old 1', 'old 2', 'old 3'];
const NEW = ['new 1', 'new 2'];

/** What a worker that is killed leaves, and what the next call makes of it. */
describe('a swap of MongoDB databases that is cut off', { timeout: 240_000 }, () => {
  let mongo: ServiceMongo;
  let cutter: MongoCutter;
  /** Whose every command goes by the cutter. */
  let cutTool: DumpTool;
  let archive: Buffer;
  let from: string;
  before(async () => {
    mongo = await startServiceMongo();
    cutter = await startMongoCutter(mongo.adminUri);
    cutTool = mongo.at(cutter.uri).dumpTool;
    from = mongo.fresh('source');
    await fill(from, NEW);
    archive = (await mongo.dumpTool.dump(from, collect, { signal: patience() })).stored;
  });
  after(async () => {
    await cutter.stop();
    await mongo.stop();
  });

  /** Two collections, so that one may be there without the other. */
  async function fill(database: string, values: readonly string[]): Promise<void> {
    for (const name of ['notes', 'copies']) {
      await mongo.client
        .db(database)
        .collection<{ _id: number; value: string }>(name)
        .insertMany(values.map((value, _id) => ({ _id, value })));
    }
  }

  async function valuesOf(database: string): Promise<readonly (readonly string[])[]> {
    const of = async (name: string) => {
      const found = await mongo.client.db(database).collection(name).find().sort({ _id: 1 }).toArray();
      return found.map(({ value }) => String(value));
    };
    return [await of('notes'), await of('copies')];
  }

  async function prepared() {
    const live = mongo.fresh('live');
    const { scratch, kept } = restoreNames();
    await fill(live, OLD);
    await mongo.dumpTool.restoreInto({ from, scratch }, stream(archive), { signal: patience() });
    return { live, scratch, kept };
  }

  /** Cuts one call at a command. @returns whether there were so many */
  async function cutCall(call: (options: DumpOptions) => Promise<unknown>, command: number, when: 'before' | 'after') {
    // The programs of a worker die with it.
    const killed = new AbortController();
    cutter.cutAt(command, when, () => killed.abort(new Error('killed')));
    await call({ signal: killed.signal }).catch(() => undefined);
    const wasCut = cutter.wasCut();
    cutter.cutAt(null, when);
    return wasCut;
  }

  /** How many commands a swap has. */
  async function commandsOf(): Promise<number> {
    const names = await prepared();
    cutter.cutAt(null, 'before');
    await cutTool.swap(names, { signal: patience() });
    const commands = cutter.asked();
    await mongo.dumpTool.drop(names.kept);
    return commands;
  }

  async function isSomewhereWhole({ live, scratch, kept }: Awaited<ReturnType<typeof prepared>>, where: string) {
    const is = async (database: string, values: readonly string[]) => same(await valuesOf(database), [values, values]);
    const bothAre = (await is(kept, OLD)) && ((await is(scratch, NEW)) || (await is(live, NEW)));
    assert.ok(bothAre || (await is(live, OLD)), `${where}: what was live is nowhere whole`);
  }

  /** One that is done stays done. */
  async function goesBack(live: string, where: string): Promise<void> {
    if (same(await valuesOf(live), [NEW, NEW])) return;
    await mongo.dumpTool.reopen(live, { signal: patience() });
    assert.deepEqual(await valuesOf(live), [OLD, OLD], `${where}: it goes back`);
  }

  for (const when of ['before', 'after'] as const) {
    it(`${when} any command has what was live whole, there or kept, and goes on or back`, async () => {
      let cuts = 0;
      const points = pointsOf(await commandsOf(), when).filter((_, point) => isPlayed(point));
      for (const command of points) {
        const names = await prepared();
        const { live, scratch, kept } = names;
        const where = `${when} command ${command}`;
        if (await cutCall((options) => cutTool.swap(names, options), command, when)) {
          cuts += 1;
          await isSomewhereWhole(names, where);
          if (cuts % 2 === 0) await goesBack(live, where);
        }
        await mongo.dumpTool.swap(names, { signal: patience() });
        assert.deepEqual(await valuesOf(live), [NEW, NEW], `${where}: it goes on`);
        assert.deepEqual(await valuesOf(kept), [OLD, OLD], `${where}: the old one is kept`);
        assert.deepEqual(await valuesOf(scratch), [[], []], where);
        await mongo.dumpTool.drop(kept);
      }
      // Their number is not the same each time: the last ones may not come.
      assert.ok(cuts > points.length / 2, `${cuts} cuts of ${points.length}`);
    });
  }

  /** A swap whose worker died when half of what is live was replaced. */
  async function halfReplaced() {
    const names = await prepared();
    const { live } = names;
    const killed = new AbortController();
    const held = cutter.hold('dropDatabase', live);
    const swapped = assert.rejects(cutTool.swap(names, { signal: killed.signal }));
    await held.came;
    killed.abort(new Error('killed'));
    await swapped;
    await mongo.client.db(live).collection('notes').drop();
    return names;
  }

  it('goes back also when that is cut off, wherever', async () => {
    const { live: whole, kept: other, scratch: third } = await halfReplaced();
    cutter.cutAt(null, 'before');
    await cutTool.reopen(whole, { signal: patience() });
    const commands = cutter.asked();
    for (const made of [other, third]) await mongo.dumpTool.drop(made);
    const points = [3, Math.round(commands / 2), ...[4, 3, 2, 1, 0].map((left) => commands - left)];
    for (const command of points.filter((_, point) => isPlayed(point))) {
      const { live, scratch, kept } = await halfReplaced();
      await assert.rejects(mongo.dumpTool.dump(live, collect, { signal: patience() }), {
        code: 'DUMP_FAILED',
        message: /was broken off/,
      });
      await cutCall((options) => cutTool.reopen(live, options), command, 'after');
      await mongo.dumpTool.reopen(live, { signal: patience() });
      assert.deepEqual(await valuesOf(live), [OLD, OLD], `after command ${command} of ${commands}`);
      for (const made of [scratch, kept]) await mongo.dumpTool.drop(made);
    }
  });

  it('is finished by another worker: one that was paused before any look at the record changes nothing', async () => {
    for (const look of [1, 2, 3, 4, 5, 6].filter((each) => isPlayed(each))) {
      const names = await prepared();
      const held = cutter.hold('find', 'fairlead_backups', look);
      const paused = cutTool.swap(names, { signal: patience() }).catch((error: unknown) => error);
      await held.came;
      await mongo.dumpTool.swap(names, { signal: patience() });
      await mongo.client
        .db(names.live)
        .collection<{ _id: number; value: string }>('notes')
        .insertOne({ _id: 9, value: 'since' });
      held.letGo();
      await paused;
      await mongo.dumpTool.reopen(names.live, { signal: patience() });
      assert.deepEqual(await valuesOf(names.live), [[...NEW, 'since'], NEW], `before look ${look}`);
      assert.deepEqual(await valuesOf(names.kept), [OLD, OLD], `before look ${look}`);
      await mongo.dumpTool.drop(names.kept);
    }
  });

  it('is undone: a worker that was paused while it replaced what is live changes nothing', async () => {
    const names = await prepared();
    const held = cutter.hold('update', 'fairlead_backups', 2);
    const paused = cutTool.swap(names, { signal: patience() }).catch((error: unknown) => error);
    await held.came;
    await mongo.dumpTool.reopen(names.live, { signal: patience() });
    held.letGo();
    assert.match(String(await paused), /Another attempt goes on with the restore/);
    assert.deepEqual(await valuesOf(names.live), [OLD, OLD]);
    await mongo.dumpTool.drop(names.scratch);
  });

  it('puts nothing in the place of what is live that is not there any more', async () => {
    const swapped = await prepared();
    await mongo.client.db(swapped.scratch).collection('copies').drop();
    await assert.rejects(mongo.dumpTool.swap(swapped, { signal: patience() }), { code: 'RESTORE_FAILED' });
    assert.deepEqual(await valuesOf(swapped.live), [OLD, OLD]);
    await mongo.dumpTool.reopen(swapped.live, { signal: patience() });
    assert.deepEqual(await valuesOf(swapped.live), [OLD, OLD]);
    const undone = await halfReplaced();
    await mongo.client.db(undone.kept).collection('copies').drop();
    const before = await valuesOf(undone.live);
    await assert.rejects(mongo.dumpTool.reopen(undone.live, { signal: patience() }), {
      code: 'UNAVAILABLE',
      retryable: true,
      message: /could not be put back from .* is not what it was any more.* delete the row/,
    });
    assert.deepEqual(await valuesOf(undone.live), before);
    for (const made of [swapped.scratch, undone.scratch, undone.kept]) await mongo.dumpTool.drop(made);
  });

  it('is put back before another restore of the same database begins', async () => {
    const first = await halfReplaced();
    const { live } = first;
    const { scratch, kept } = restoreNames();
    await mongo.dumpTool.restoreInto({ from, scratch }, stream(archive), { signal: patience() });
    await mongo.dumpTool.swap({ live, scratch, kept }, { signal: patience() });
    assert.deepEqual(
      [await valuesOf(live), await valuesOf(kept)],
      [
        [NEW, NEW],
        [OLD, OLD],
      ],
    );
    for (const made of [kept, first.kept, first.scratch]) await mongo.dumpTool.drop(made);
  });

  it('two swaps under one name: the second one, of another database, is refused', async () => {
    const [one, other] = [await prepared(), await prepared()];
    await mongo.dumpTool.swap(one, { signal: patience() });
    const stolen = mongo.dumpTool.swap({ ...other, kept: one.kept }, { signal: patience() });
    await assert.rejects(stolen, { code: 'RESTORE_FAILED' });
    assert.deepEqual(await valuesOf(other.live), [OLD, OLD]);
    for (const made of [one.kept, other.scratch]) await mongo.dumpTool.drop(made);
  });
});

/** Commands of the begin and of the end, which write the record, and some of the copies between them. */
function pointsOf(commands: number, when: 'before' | 'after'): readonly number[] {
  const first = when === 'before' ? [2, 5] : [4];
  const between = (when === 'before' ? [0.4, 0.7] : [0.55]).map((part) => Math.round(part * commands));
  const last = [3, 2, 1, 0].map((left) => commands - left);
  return [...new Set([...first, ...between, ...last])];
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
