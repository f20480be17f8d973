import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pruneWhenDiskIsLow, requireFreeDisk } from '../../../activities/deploys/free-disk.ts';
import { upkeepParts } from './upkeep-parts.ts';

/** A disk with so much free space, before and after images are pruned. A build needs 100 bytes; below 200 it is low. */
function parts(freeBytes: number, afterPrune = freeBytes) {
  const { deps, disk, workflows } = upkeepParts();
  const counts = { prunes: 0 };
  disk.freeBytes = freeBytes;
  workflows.whenPruning(async () => {
    counts.prunes += 1;
    disk.freeBytes = afterPrune;
  });
  const lines: string[] = [];
  const context = { signal: new AbortController().signal, onLine: (line: string) => void lines.push(line) };
  return { deps, workflows, counts, lines, context };
}

describe('free disk', () => {
  it('is pruned for once it is low, and not before', async () => {
    const enough = parts(200);
    assert.deepEqual(await pruneWhenDiskIsLow(enough.deps), { freeBytes: 200, started: false });
    assert.equal(enough.counts.prunes, 0);
    const low = parts(199);
    assert.deepEqual(await pruneWhenDiskIsLow(low.deps), { freeBytes: 199, started: true });
    assert.equal(low.counts.prunes, 1);
    assert.equal((await pruneWhenDiskIsLow(low.deps)).started, false, 'not twice in a short while');
  });

  it('that is enough adds no line to the log of a build', async () => {
    const { deps, counts, lines, context } = parts(200);
    await requireFreeDisk(deps, context);
    assert.deepEqual([counts.prunes, lines], [0, []]);
  });

  it('that is low starts pruning, and the build continues', async () => {
    const { deps, counts, lines, context } = parts(100);
    await requireFreeDisk(deps, context);
    assert.equal(counts.prunes, 1);
    assert.match(lines.join(), /^The disk of the image store is low/);
  });

  it('that is full is pruned first, and the build continues', async () => {
    const { deps, counts, lines, context } = parts(99, 100);
    await requireFreeDisk(deps, context);
    assert.equal(counts.prunes, 1);
    assert.match(lines.join(), /a build needs 0.0: pruning old images$/);
  });

  it('that stays full fails the build with what is missing', async () => {
    const { deps, counts, context } = parts(50, 99);
    const details = { freeBytes: 99, requiredBytes: 100 };
    await assert.rejects(requireFreeDisk(deps, context), { code: 'DISK_FULL', details });
    assert.equal(counts.prunes, 1);
  });

  it('is not waited for by a build that is cancelled', async () => {
    const { deps, workflows, context } = parts(50);
    workflows.whenPruning(() => new Promise(() => undefined));
    const cancelling = new AbortController();
    const waiting = requireFreeDisk(deps, { ...context, signal: cancelling.signal });
    cancelling.abort(new Error('cancelled'));
    await assert.rejects(waiting, /cancelled/);
  });
});
