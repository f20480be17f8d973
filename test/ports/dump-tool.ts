import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { DumpTool } from '../../domain/backups/ports.ts';
import { scratchName } from '../../domain/backups/restore.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A tool under test, and the databases that it dumps. */
export interface DumpToolUnderTest {
  readonly tool: DumpTool;
  /** A name that no other test has. */
  fresh(service: string): string;
  /** Writes a value to a database, which is made with the first one. */
  write(database: string, value: string): Promise<void>;
  /** What a database has, in order; nothing of one that is not there. */
  read(database: string): Promise<readonly string[]>;
  /** Removes what was written. */
  clear(database: string): Promise<void>;
  /** Takes a database away, as an operator does. */
  remove(database: string): Promise<void>;
}

const patience = () => AbortSignal.timeout(60_000);
let ids = 0;

/** Names of the databases of one restore. */
export function restoreNames(): { readonly scratch: string; readonly kept: string } {
  ids += 1;
  const id = `rst_${String(process.pid).padStart(10, '0')}${String(ids).padStart(10, '0')}`;
  return { scratch: scratchName('restore', id), kept: scratchName('kept', id) };
}

/** What every {@link DumpTool} guarantees. */
export function dumpToolSuite(title: string, use: () => DumpToolUnderTest): void {
  describe(`DumpTool: ${title}`, () => {
    const VALUES = ['one', 'two', `it's \\ "three" $ {}`];
    const service = async (name: string): Promise<string> => {
      const database = use().fresh(name);
      for (const value of VALUES) await use().write(database, value);
      return database;
    };
    const dump = async (database: string) => {
      const { stored, figures } = await use().tool.dump(database, collect, { signal: patience() });
      return { archive: stored, figures };
    };

    it('restores into a database that takes the place of the live one, which is kept; done twice, it is done once', async () => {
      const { tool, write, read } = use();
      const live = await service('swapped');
      const { archive, figures } = await dump(live);
      await write(live, 'after');
      const { scratch, kept } = restoreNames();
      await tool.restoreInto({ from: live, scratch }, stream(archive), { signal: patience() });
      assert.deepEqual(await tool.figures(scratch, patience()), figures);
      assert.deepEqual(await read(live), [...VALUES, 'after'], 'nothing happened to it until now');
      for (let again = 0; again < 2; again += 1) await tool.swap({ live, scratch, kept }, { signal: patience() });
      assert.deepEqual(await read(live), VALUES);
      await write(live, 'goes on');
      await tool.swap({ live, scratch, kept }, { signal: patience() });
      await tool.reopen(live, { signal: patience() });
      assert.deepEqual(await read(live), [...VALUES, 'goes on'], 'what was written since stays');
      const size = await tool.size(kept, patience());
      assert.ok(size !== null && (size.bytes === null || size.bytes > 0), JSON.stringify(size));
      await tool.drop(kept);
      assert.equal(await tool.size(kept, patience()), null);
    });

    it('ends a swap that was not done: what is live stays as it is, and a call that lives on swaps nothing', async () => {
      const { tool, write, read } = use();
      const live = await service('ended');
      const { archive } = await dump(live);
      const names = { live, ...restoreNames() };
      await tool.restoreInto({ from: live, scratch: names.scratch }, stream(archive), { signal: patience() });
      await write(live, 'since');
      for (let again = 0; again < 2; again += 1) assert.equal(await tool.endSwap(names, { signal: patience() }), false);
      assert.equal(await tool.size(names.scratch, patience()), null);
      await assert.rejects(tool.swap(names, { signal: patience() }), { code: 'RESTORE_FAILED' });
      assert.equal(await tool.endSwap(names, { signal: patience() }), false);
      assert.deepEqual(await read(live), [...VALUES, 'since']);
      const nobody = { ...restoreNames(), live: use().fresh('nobody') };
      assert.equal(await tool.endSwap(nobody, { signal: patience() }), false);
      const own = tool.endSwap({ ...names, scratch: live }, { signal: patience() });
      await assert.rejects(own, { code: 'VALIDATION_FAILED' });
    });

    it('ends a swap that was done: it stays done, and so does what was written since', async () => {
      const { tool, write, read } = use();
      const live = await service('done');
      const { archive } = await dump(live);
      await write(live, 'after');
      const names = { live, ...restoreNames() };
      await tool.restoreInto({ from: live, scratch: names.scratch }, stream(archive), { signal: patience() });
      await tool.swap(names, { signal: patience() });
      await write(live, 'since');
      for (let again = 0; again < 2; again += 1) assert.equal(await tool.endSwap(names, { signal: patience() }), true);
      assert.deepEqual(await read(live), [...VALUES, 'since']);
      assert.notEqual(await tool.size(names.kept, patience()), null);
      await tool.drop(names.kept);
    });

    it('puts a database in a place where none is any more; done twice, it is done once, and its end knows', async () => {
      const { tool, read, remove } = use();
      const live = await service('missing');
      const { archive } = await dump(live);
      const names = { live, ...restoreNames() };
      await tool.restoreInto({ from: live, scratch: names.scratch }, stream(archive), { signal: patience() });
      await remove(live);
      for (let again = 0; again < 2; again += 1) await tool.swap(names, { signal: patience() });
      assert.deepEqual(await read(live), VALUES);
      assert.equal(await tool.size(names.kept, patience()), null, 'there was nothing to keep');
      assert.equal(await tool.endSwap(names, { signal: patience() }), true);
      const later = { live, ...restoreNames() };
      await tool.restoreInto({ from: live, scratch: later.scratch }, stream(archive), { signal: patience() });
      await tool.swap(later, { signal: patience() });
      for (const done of [names, later]) assert.equal(await tool.endSwap(done, { signal: patience() }), true);
      assert.deepEqual(await read(live), VALUES);
      for (const { kept } of [names, later]) await tool.drop(kept);
    });

    for (const isDone of [false, true]) {
      it(`ends a swap after a later restore (${isDone ? 'done' : 'not done'} itself): that one stays live`, async () => {
        const { tool, write, read } = use();
        const live = await service('later');
        const { archive } = await dump(live);
        const [names, later] = [
          { live, ...restoreNames() },
          { live, ...restoreNames() },
        ];
        await tool.restoreInto({ from: live, scratch: names.scratch }, stream(archive), { signal: patience() });
        if (isDone) await tool.swap(names, { signal: patience() });
        await write(live, 'lost by the later one');
        await tool.restoreInto({ from: live, scratch: later.scratch }, stream(archive), { signal: patience() });
        await tool.swap(later, { signal: patience() });
        await write(live, 'since');
        assert.equal(await tool.endSwap(names, { signal: patience() }), isDone);
        assert.equal(await tool.endSwap(later, { signal: patience() }), true);
        assert.deepEqual(await read(live), [...VALUES, 'since']);
        for (const { kept } of isDone ? [names, later] : [later]) await tool.drop(kept);
      });
    }

    it('restores in place what was there at the dump', async () => {
      const { tool, clear, read, write } = use();
      const live = await service('overwritten');
      const { archive } = await dump(live);
      await clear(live);
      await write(live, 'after');
      await tool.restoreInPlace(live, stream(archive), { signal: patience() });
      assert.deepEqual(await read(live), VALUES);
    });

    it('restores in place nothing that was ended before it begins, or when it had just asked', async () => {
      const { tool, read, write } = use();
      const live = await service('ended-early');
      const { archive } = await dump(live);
      await write(live, 'since');
      const refused = tool.restoreInPlace(live, stream(archive), { signal: patience(), isMeant: async () => false });
      await assert.rejects(refused, { code: 'CONFLICT' });
      assert.deepEqual(await read(live), [...VALUES, 'since']);
      const asked = async () => {
        await tool.reopen(live, { signal: patience() });
        await write(live, 'after its end');
        return true;
      };
      await assert.rejects(tool.restoreInPlace(live, stream(archive), { signal: patience(), isMeant: asked }));
      assert.deepEqual(await read(live), [...VALUES, 'since', 'after its end']);
      await tool.restoreInPlace(live, stream(archive), { signal: patience(), isMeant: async () => true });
      assert.deepEqual(await read(live), VALUES);
    });

    it('has the figures of the archive, whatever is written meanwhile', async () => {
      const { tool, write } = use();
      const live = await service('busy');
      const { stored, figures } = await tool.dump(
        live,
        async (archive) => {
          for (let more = 0; more < 20; more += 1) await write(live, `meanwhile ${more}`);
          return await collect(archive);
        },
        { signal: patience() },
      );
      const { scratch } = restoreNames();
      await tool.restoreInto({ from: live, scratch }, stream(stored), { signal: patience() });
      assert.deepEqual(await tool.figures(scratch, patience()), figures);
      for (let again = 0; again < 2; again += 1) await tool.drop(scratch);
    });

    it('restores no archive that is cut off, and the live database is as it was', async () => {
      const { tool, read } = use();
      const live = await service('cut');
      const { archive } = await dump(live);
      for (const bytes of [0, 3, archive.length - 1, archive.length - 40]) {
        const { scratch } = restoreNames();
        const part = archive.subarray(0, bytes);
        const restored = tool.restoreInto({ from: live, scratch }, stream(part), { signal: patience() });
        await assert.rejects(restored, { code: 'RESTORE_FAILED' }, `${bytes} bytes`);
        await tool.drop(scratch);
      }
      assert.deepEqual(await read(live), VALUES);
    });

    it('puts in place nothing that was not restored to its end, and the live database is as it was', async () => {
      const { tool, read } = use();
      const live = await service('unfinished');
      const { archive } = await dump(live);
      const names = { live, ...restoreNames() };
      const part = stream(archive.subarray(0, archive.length - 40));
      const restored = tool.restoreInto({ from: live, scratch: names.scratch }, part, { signal: patience() });
      await assert.rejects(restored, { code: 'RESTORE_FAILED' });
      await assert.rejects(tool.swap(names, { signal: patience() }), { code: 'RESTORE_FAILED' });
      assert.deepEqual(await read(live), VALUES);
      assert.equal(await tool.endSwap(names, { signal: patience() }), false);
      assert.deepEqual(await read(live), VALUES);
    });

    it('neither overwrites, drops nor swaps in a database that backups did not make', async () => {
      const { tool, read } = use();
      const live = await service('safe');
      const { archive } = await dump(live);
      await assert.rejects(tool.drop(live), { code: 'VALIDATION_FAILED' });
      const onto = tool.restoreInto({ from: live, scratch: live }, stream(archive), { signal: patience() });
      await assert.rejects(onto, { code: 'VALIDATION_FAILED' });
      const { scratch, kept } = restoreNames();
      const swapped = tool.swap({ live, scratch, kept }, { signal: patience() });
      await assert.rejects(swapped, { code: 'RESTORE_FAILED' });
      await tool.reopen(live, { signal: patience() });
      await tool.reopen(use().fresh('nobody'), { signal: patience() });
      assert.deepEqual(await read(live), VALUES);
    });

    it('ends with the reason when it is cancelled', async () => {
      const { tool } = use();
      const live = await service('cancelled');
      const controller = new AbortController();
      const cancelled = tool.dump(
        live,
        async (archive) => {
          for await (const _ of archive) controller.abort(new Error('cancelled by hand'));
          return 'stored';
        },
        { signal: controller.signal },
      );
      await assert.rejects(cancelled, /cancelled by hand/);
      const already = AbortSignal.abort(new Error('cancelled before'));
      const { scratch, kept } = restoreNames();
      await assert.rejects(tool.swap({ live, scratch, kept }, { signal: already }), /cancelled before|is not there/);
    });
  });
}

/** What each tool guarantees that runs programs. @param use with the administrator's password */
export function dumpProgramSuite(title: string, use: () => DumpToolUnderTest & { readonly password: string }): void {
  describe(`DumpTool: ${title}, as a program`, () => {
    it('shows its password in no argument and no variable of a program', async () => {
      const { tool, password } = use();
      const live = use().fresh('quiet');
      await use().write(live, 'one');
      const seen: string[] = [];
      const programs: string[] = [];
      const look = (): boolean => {
        for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
          try {
            const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
            seen.push(line);
            if (/dump\0/.test(line)) programs.push(line);
          } catch {
            // It has ended.
          }
        }
        return programs.length > 0;
      };
      await tool.dump(
        live,
        async (archive) => {
          // It begins beside this.
          await waitUntil('the dump is seen', look, { everyMs: 1 });
          return await collect(archive);
        },
        { signal: patience() },
      );
      assert.ok(programs.length > 0, 'the dump was seen');
      assert.ok(password.length > 10 && !seen.some((line) => line.includes(password)));
    });
  });
}

/** Copies: the memory of a piece is used again once the next one is asked for. */
export async function collect(archive: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

export async function* stream(archive: Buffer): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < archive.length; offset += 1_000) yield archive.subarray(offset, offset + 1_000);
}
