import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildWorkflowId, type SlotRequested, type WorkflowDirectory } from '../../domain/deploys/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { waitUntil } from '../support/wait-until.ts';
import { buildRequest } from './records.ts';

export interface DirectoryUnderTest {
  readonly directory: WorkflowDirectory;
  /** Lets a workflow of that id run until it is ended. */
  start(workflowId: string): Promise<void>;
  end(workflowId: string): Promise<void>;
  /** Whether a running workflow was told that the slot it waited for is its. */
  wasGranted(workflowId: string): Promise<boolean>;
  /** Tells one start of a build's clean-up from another; null while there is none. */
  cleanUpRun(buildId: string): Promise<string | null>;
  /** What pruning does from now on. */
  whenPruning(work: () => Promise<void>): void;
}

const HOUR_MS = 3_600_000;

const asks = (buildId: string, limit: number): SlotRequested => ({
  buildId,
  workflowId: buildWorkflowId(buildId),
  environment: 'prod',
  limit,
});

/** What every {@link WorkflowDirectory} guarantees. */
export function workflowDirectorySuite(under: () => DirectoryUnderTest): void {
  describe('WorkflowDirectory', () => {
    it('grants slots up to the limit at once, and the next one when a slot is given back', async () => {
      const { directory, start, end, wasGranted } = under();
      const builds = ['bld_slot1', 'bld_slot2', 'bld_slot3'];
      for (const buildId of builds) await start(buildWorkflowId(buildId));
      const answers: boolean[] = [];
      for (const buildId of builds) answers.push(await directory.requestSlot(asks(buildId, 2)));
      assert.deepEqual(answers, [true, true, false]);
      assert.equal(await directory.requestSlot(asks('bld_slot1', 2)), true, 'who has one keeps it');
      assert.equal(await wasGranted(buildWorkflowId('bld_slot3')), false);
      await directory.releaseSlot('bld_slot1');
      await waitUntil('the third build has its slot', () => wasGranted(buildWorkflowId('bld_slot3')));
      for (const buildId of builds) {
        await directory.releaseSlot(buildId);
        await end(buildWorkflowId(buildId));
      }
    });

    it('who gives a slot back late takes none from the build that was given one since', async () => {
      const { directory, start, end, wasGranted } = under();
      const [first, other] = ['bld_round1', 'bld_round2'];
      for (const buildId of [first, other]) await start(buildWorkflowId(buildId));
      assert.equal(await directory.requestSlot(asks(first, 1)), true);
      await directory.releaseSlot(first, 0);
      assert.equal(await directory.requestSlot({ ...asks(first, 1), round: 2 }), true);
      await directory.releaseSlot(first, 0);
      assert.equal(await directory.requestSlot(asks(other, 1)), false, 'the slot is taken');
      await directory.releaseSlot(first, 2);
      await waitUntil('the other build has its slot', () => wasGranted(buildWorkflowId(other)));
      // The same while it waits for its slot.
      assert.equal(await directory.requestSlot({ ...asks(first, 1), round: 3 }), false);
      await directory.releaseSlot(first, 0);
      await directory.releaseSlot(other);
      await waitUntil('it has its slot again', () => wasGranted(buildWorkflowId(first)));
      for (const buildId of [first, other]) {
        await directory.releaseSlot(buildId);
        await end(buildWorkflowId(buildId));
      }
    });

    it('a build that gives up waiting leaves the slot to others', async () => {
      const { directory, start, end, wasGranted } = under();
      const builds = ['bld_quit1', 'bld_quit2', 'bld_quit3'];
      for (const buildId of builds) {
        await start(buildWorkflowId(buildId));
        await directory.requestSlot(asks(buildId, 1));
      }
      await directory.releaseSlot('bld_quit2');
      await directory.releaseSlot('bld_quit1');
      await waitUntil('the third build has its slot', () => wasGranted(buildWorkflowId('bld_quit3')));
      assert.equal(await wasGranted(buildWorkflowId('bld_quit2')), false);
      for (const buildId of builds) {
        await directory.releaseSlot(buildId);
        await end(buildWorkflowId(buildId));
      }
    });

    it('giving back a slot that a build never had is no error', async () => {
      await under().directory.releaseSlot('bld_slotless');
      await under().directory.releaseSlot('bld_slotless');
    });

    it('knows whether a workflow is running', async () => {
      const { directory, start, end } = under();
      assert.equal(await directory.isRunning('build/bld_never'), false);
      await start('build/bld_runs');
      assert.equal(await directory.isRunning('build/bld_runs'), true);
      await end('build/bld_runs');
      assert.equal(await directory.isRunning('build/bld_runs'), false);
    });

    it('the clean-up of a build is started once', async () => {
      const { directory, cleanUpRun } = under();
      const build = buildRequest({ buildId: 'bld_cleaned' });
      assert.equal(await cleanUpRun(build.buildId), null);
      await Promise.all([directory.startCleanUp(build), directory.startCleanUp(build)]);
      const run = await cleanUpRun(build.buildId);
      assert.ok(run !== null);
      await directory.startCleanUp(build);
      assert.equal(await cleanUpRun(build.buildId), run);
    });
  });

  describe('WorkflowDirectory: pruning', () => {
    const never = new AbortController().signal;

    /** Pruning that takes until it is let go. */
    function hold() {
      const gate = Promise.withResolvers<void>();
      const counts = { runs: 0, atOnce: 0, most: 0 };
      under().whenPruning(async () => {
        counts.runs += 1;
        counts.atOnce += 1;
        counts.most = Math.max(counts.most, counts.atOnce);
        await gate.promise;
        counts.atOnce -= 1;
      });
      return { counts, letGo: gate.resolve };
    }

    it('is one at a time, and who waits for it joins it', async () => {
      const { directory } = under();
      const { counts, letGo } = hold();
      assert.equal(await directory.startPrune({ restMs: HOUR_MS }), true);
      assert.equal(await directory.startPrune({ restMs: 0 }), false);
      const joined = [1, 2, 3].map(() => directory.awaitPrune(never));
      await waitUntil('it runs', () => counts.runs > 0);
      letGo();
      await Promise.all(joined);
      assert.deepEqual([counts.runs, counts.most], [1, 1]);
    });

    it('is not started again soon after it ended, but for whoever waits for it', async () => {
      const { directory } = under();
      const { counts, letGo } = hold();
      letGo();
      await directory.awaitPrune(never);
      assert.equal(await directory.startPrune({ restMs: HOUR_MS }), false);
      assert.equal(counts.runs, 1);
      await directory.awaitPrune(never);
      assert.equal(counts.runs, 2);
      assert.equal(await directory.startPrune({ restMs: 0 }), true);
      await directory.awaitPrune(never);
      assert.equal(counts.runs, 3);
    });

    it('is waited for until it ends, also badly, and no longer than whoever waits wants', async () => {
      const { directory } = under();
      const { letGo } = hold();
      const told = new AbortController();
      const waiting = directory.awaitPrune(told.signal);
      told.abort(new Error('cancelled'));
      await assert.rejects(waiting, /cancelled/);
      letGo();
      await directory.awaitPrune(never);
      under().whenPruning(() => Promise.reject(new FairleadError('UNAVAILABLE', 'the engine is away')));
      await directory.awaitPrune(never);
    });
  });
}
