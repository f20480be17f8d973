import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { closeEarlierRestores, closeRestore } from '../../../activities/backups/close-abandoned.ts';
import { dumpDatabase, openBackup } from '../../../activities/backups/make-backup.ts';
import {
  endRestore,
  openRestore,
  restoreInPlace,
  restoreScratch,
  swapDatabases,
} from '../../../activities/backups/restore-database.ts';
import type { BackupEngine } from '../../../domain/backups/backup.ts';
import type { RestoreJob } from '../../../domain/backups/messages.ts';
import type { RestoreMode } from '../../../domain/backups/restore.ts';
import { scratchName } from '../../../domain/backups/restore.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';
import { isPlayed } from '../../support/is-played.ts';
import { type SwapServer, startMongodbServer, startPostgresServer } from './swap-servers.ts';

const OLD = ['old 1', 'old 2', 'old 3'];
const FIRST = ['first 1', 'first 2'];
const LATER = ['later 1'];
const patience = () => AbortSignal.timeout(60_000);

/** At which call of a swap its worker is killed. */
interface Point {
  readonly command: number;
  readonly when: 'before' | 'after';
}

/** A database with other values than two backups of it, on a server; the records are in memory. */
async function prepare(engine: BackupEngine, server: SwapServer) {
  const parts = await createBackupsParts();
  const { database: databaseName, tool } = server;
  const deps = { ...parts.deps, tools: { [engine]: tool } };
  const owner = { service: 'shop', environment: 'prod', serviceId: parts.service.id, org: 'acme' } as const;
  parts.listed[engine] = [{ databaseName, owner: { ...owner, earlierServiceIds: [] } }];
  const backUp = async (values: readonly string[]): Promise<string> => {
    await server.write(databaseName, values);
    parts.clock.now = new Date(parts.clock.now.getTime() + 1_000);
    const job = parts.job({ engine, databaseName });
    await openBackup(deps, job);
    await dumpDatabase(deps, job, patience());
    return job.id;
  };
  const backups = { first: await backUp(FIRST), later: await backUp(LATER) };
  /** Restores that were begun since the last time. */
  const begun: RestoreJob[] = [];
  return {
    deps,
    backups,
    begun,
    async begin(backupId: string, mode: RestoreMode = 'swap'): Promise<RestoreJob> {
      const job = parts.restoreJob(backupId, { engine, databaseName, mode });
      begun.push(job);
      await openRestore(deps, job);
      return job;
    },
  };
}

function describeServer(engine: BackupEngine, start: () => Promise<SwapServer>, pointsOf: (calls: number) => Point[]) {
  describe(`a swap of ${engine} databases whose worker was killed and whose workflow is gone`, {
    timeout: 590_000,
  }, () => {
    let server: SwapServer;
    let parts: Awaited<ReturnType<typeof prepare>>;
    before(async () => {
      server = await start();
      parts = await prepare(engine, server);
    });
    after(() => server.stop());

    /** With a worker that is killed at that call of the server, if there are so many. */
    async function untilKilled(
      call: (deps: typeof parts.deps, signal: AbortSignal) => Promise<unknown>,
      { command, when }: Point | { readonly command: null; readonly when: 'before' },
    ) {
      const killed = new AbortController();
      server.cutter.cutAt(command, when, () => killed.abort(new Error('killed')));
      await call({ ...parts.deps, tools: { [engine]: server.cutTool } }, killed.signal).catch(() => undefined);
      const seen = { wasKilled: server.cutter.wasCut(), calls: server.cutter.asked() };
      server.cutter.cutAt(null, when);
      return seen;
    }

    async function killedSwap(backupId: string, point: Point): Promise<string | null> {
      const job = await parts.begin(backupId);
      await restoreScratch(parts.deps, job, patience());
      const { wasKilled } = await untilKilled((deps, signal) => swapDatabases(deps, job, signal), point);
      return wasKilled ? job.id : null;
    }

    const statusOf = async (id: string | null) => (id === null ? null : (await parts.deps.restores.find(id))?.status);
    const read = () => server.read(server.database);
    const close = (id: string) => closeRestore(parts.deps, id, patience());

    async function restoreLater(mode: RestoreMode): Promise<void> {
      const { deps, backups } = parts;
      const later = await parts.begin(backups.later, mode);
      if (mode === 'swap') {
        await restoreScratch(deps, later, patience());
        await swapDatabases(deps, later, patience());
      } else {
        // What the activities begin with: the database may be closed.
        await closeEarlierRestores(deps, later, patience());
        await restoreInPlace(deps, later, patience());
      }
      await endRestore(deps, { job: later, problem: null }, patience());
      assert.deepEqual(await read(), LATER);
    }

    /** Another restore takes place, and the service writes, before the first one is ended. */
    const afterALater = (mode: RestoreMode) => async (first: string) => {
      await restoreLater(mode);
      await server.write(server.database, [...LATER, 'since']);
      await close(first);
      return [...LATER, 'since'];
    };

    async function endsAs(first: string): Promise<readonly string[]> {
      return (await statusOf(first)) === 'completed' ? FIRST : OLD;
    }

    /** What happens until the restore has ended. Each returns what the database has to have then. */
    const SEQUELS: Readonly<Record<string, (first: string, point: Point) => Promise<readonly string[]>>> = {
      async 'its end'(first) {
        await close(first);
        return await endsAs(first);
      },
      'a swap': afterALater('swap'),
      'a restore in place': afterALater('in-place'),
      async 'a swap that is broken off as well'(first, point) {
        const later = await killedSwap(parts.backups.later, point);
        const ids = [first, ...(later === null ? [] : [later])];
        for (const id of point.command % 2 === 0 ? ids : ids.toReversed()) await close(id);
        return later === null || (await statusOf(later)) === 'completed' ? LATER : await endsAs(first);
      },
      async 'its end, which is broken off'(first, { command }) {
        const point = { command: 2 + (command % 4), when: 'after' } as const;
        await untilKilled((deps, signal) => closeRestore(deps, first, signal), point);
        await close(first);
        return await endsAs(first);
      },
    };

    /** No scratch database is left, and what is kept is on record. */
    async function leavesNothing(where: string): Promise<void> {
      for (const { id } of parts.begun.splice(0)) {
        const record = await parts.deps.restores.find(id);
        assert.equal(await server.tool.size(scratchName('restore', id), patience()), null, where);
        const kept = await server.tool.size(scratchName('kept', id), patience());
        assert.equal(kept !== null, (record?.keptDatabase ?? null) !== null, where);
        if (kept !== null) await server.tool.drop(scratchName('kept', id));
      }
    }

    it('changes nothing that a later restore, or the service, has written, wherever it was killed', async () => {
      const whole = await parts.begin(parts.backups.first);
      await restoreScratch(parts.deps, whole, patience());
      const never = { command: null, when: 'before' } as const;
      const { calls } = await untilKilled((deps, signal) => swapDatabases(deps, whole, signal), never);
      const names = Object.keys(SEQUELS);
      const ends = await playEach(pointsOf(calls), async (point, index) => {
        await server.write(server.database, OLD);
        const first = await killedSwap(parts.backups.first, point);
        const name = names[index % names.length] ?? '';
        const where = `${point.when} call ${point.command} of ${calls}, then ${name}`;
        assert.ok(first !== null, where);
        const expected = await SEQUELS[name]?.(first, point);
        assert.deepEqual(await read(), expected, where);
        const status = await statusOf(first);
        assert.match(status ?? '', /^(completed|failed)$/, where);
        await leavesNothing(where);
        return `${name}: ${status}`;
      });
      for (const name of names) assert.ok(ends?.has(`${name}: failed`) ?? true, [...(ends ?? [])].join('; '));
    });

    /** A restore of a database that is not there any more, at its swap. */
    async function withoutLive(): Promise<RestoreJob> {
      await server.write(server.database, OLD);
      const job = await parts.begin(parts.backups.first);
      await restoreScratch(parts.deps, job, patience());
      await server.remove(server.database);
      return job;
    }

    /** How a restore ends whose worker was killed: its next attempt goes on, or nobody does. */
    async function endAfterKill(job: RestoreJob, goesOn: boolean): Promise<string> {
      if (!goesOn) await close(job.id);
      else {
        await swapDatabases(parts.deps, job, patience());
        await endRestore(parts.deps, { job, problem: null }, patience());
      }
      const record = await parts.deps.restores.find(job.id);
      assert.equal(record?.keptDatabase, null);
      return record?.status ?? '';
    }

    it('says what became of a database that was not there, wherever it was killed, and keeps nothing of it', async () => {
      const whole = await withoutLive();
      const swapped = (job: RestoreJob, point: Parameters<typeof untilKilled>[1]) =>
        untilKilled((deps, signal) => swapDatabases(deps, job, signal), point);
      const { calls } = await swapped(whole, { command: null, when: 'before' });
      const statuses = await playEach(pointsOf(calls).toReversed().slice(0, 8), async (point, index) => {
        const goesOn = index % 2 === 0;
        const where = `${point.when} call ${point.command} of ${calls}, then ${goesOn ? 'the next attempt' : 'its end'}`;
        const job = await withoutLive();
        assert.ok((await swapped(job, point)).wasKilled, where);
        const status = await endAfterKill(job, goesOn);
        assert.match(status, goesOn ? /^completed$/ : /^(completed|failed)$/, where);
        if (status === 'completed') assert.deepEqual(await read(), FIRST, where);
        await leavesNothing(where);
        return status;
      });
      if (statuses !== null) assert.deepEqual([...statuses].sort(), ['completed', 'failed']);
    });
  });
}

/** @returns what came of all points; null where only some are played */
async function playEach(
  points: readonly Point[],
  play: (point: Point, index: number) => Promise<string>,
): Promise<ReadonlySet<string> | null> {
  const seen = new Set<string>();
  const played = [...points.entries()].filter(([index]) => isPlayed(index));
  for (const [index, point] of played) seen.add(await play(point, index));
  return played.length === points.length ? seen : null;
}

/** Each call: the names are changed by one of them. */
describeServer('postgres', startPostgresServer, (calls) =>
  Array.from({ length: calls }, (_, index) => ({ command: index + 1, when: index % 3 === 2 ? 'after' : 'before' })),
);

/** Most calls are those of the tools, which copy: the begin and the end, and some between. */
describeServer('mongodb', startMongodbServer, (calls) => {
  const copies = [0.2, 0.4, 0.5, 0.6, 0.7, 0.8].map((part) => Math.round(part * calls));
  const commands = [2, 4, 5, ...copies, ...[5, 4, 3, 2, 1, 0].map((left) => calls - left)];
  return [...new Set(commands)].map((command, index) => ({ command, when: index % 2 === 0 ? 'before' : 'after' }));
});
