import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeploysDeps } from '../../../activities/deploys/deps.ts';
import { pruneImages } from '../../../activities/deploys/prune-images.ts';
import type { BuildRecord } from '../../../domain/deploys/build.ts';
import type { BuildEnd } from '../../../domain/deploys/build-store.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { upTo } from '../../ports/archive-store.ts';
import { buildRecord, releaseRecord } from '../../ports/records.ts';
import { readBehind } from '../../support/in-memory/read-behind.ts';
import { MANY, NOW, upkeepParts } from './upkeep-parts.ts';

const { signal } = new AbortController();
const COMPLETED: BuildEnd = { status: 'completed', reason: null, failure: null, supersededBy: null, finishedAt: NOW };
const TESTS_FAILED = { code: 'TESTS_FAILED', message: '1 of 1 tests failed', step: 'gated-tests' };
const DAY_MS = 24 * 60 * 60_000;
const at = (minute: number) => new Date(NOW.getTime() + minute * 60_000);

function parts() {
  const { build, imageNames, ...rest } = upkeepParts();
  const ended = async (id: string, changes: Partial<BuildRecord> = {}): Promise<void> => {
    await build(id, changes);
    await rest.deps.builds.finish(id, COMPLETED);
  };
  return { ...rest, built: build, ended, left: imageNames, prune: () => pruneImages(rest.deps, signal) };
}

async function released(deps: DeploysDeps, id: string, minute: number): Promise<void> {
  const images = { imageTag: `shop:bld_${id}`, imageDigest: `shop@sha256:${id}` };
  await deps.releases.put(
    releaseRecord({ id: `rel_${id}`, buildId: `bld_${id}`, service: 'shop', ...images, activatedAt: at(minute) }),
  );
}

/** So many builds of other services, open and newer than anything else, that they fill pages. */
async function crowd(deps: DeploysDeps): Promise<void> {
  const ids = Array.from({ length: MANY }, (_, index) => `bld_crowd${index}`);
  await Promise.all(ids.map((id) => deps.builds.create(buildRecord({ id, service: id, createdAt: at(1_000) }))));
}

describe('pruning images', () => {
  it('keeps the images of the last two releases and of the newest build, and removes older ones', async () => {
    const { deps, ended, prune, left } = parts();
    await deps.services.upsert({ id: 'svc_hello', name: 'shop', org: 'acme' }, {});
    for (const [minute, id] of ['a', 'b', 'c'].entries()) {
      await ended(`bld_${id}`, { createdAt: at(minute) });
      await released(deps, id, minute);
    }
    await ended('bld_failed', { createdAt: at(3) });
    assert.equal((await prune()).removed, 1);
    assert.deepEqual(await left(), ['shop:bld_b', 'shop:bld_c', 'shop:bld_failed']);
    assert.equal((await prune()).removed, 0);
  });

  it('keeps the image to go back to, however many releases after it failed their tests', async () => {
    const { deps, built, ended, prune, left } = parts();
    await deps.services.upsert({ id: 'svc_hello', name: 'shop', org: 'acme' }, {});
    const ids = ['older', 'good', ...Array.from({ length: 12 }, (_, index) => `failed${index}`)];
    for (const [minute, id] of ids.entries()) {
      if (id.startsWith('failed')) {
        await built(`bld_${id}`, { createdAt: at(minute) });
        await deps.builds.finish(`bld_${id}`, { ...COMPLETED, status: 'failed', failure: TESTS_FAILED });
      } else await ended(`bld_${id}`, { createdAt: at(minute) });
      await released(deps, id, minute);
    }
    await prune();
    assert.deepEqual(await left(), ['shop:bld_failed10', 'shop:bld_failed11', 'shop:bld_good']);
  });

  it('keeps the image of the newest build of a service, however many builds of others are newer', async () => {
    const { deps, ended, prune, left } = parts();
    await deps.services.upsert({ id: 'svc_hello', name: 'shop', org: 'acme' }, {});
    await ended('bld_older', { createdAt: at(-2) });
    await ended('bld_newest', { createdAt: at(-1) });
    await crowd(deps);
    await prune();
    assert.deepEqual(await left(), ['shop:bld_newest']);
  });

  it('keeps images, archive and source of an open build, however many builds are open', async () => {
    const { deps, archives, advance, built, prune, left } = parts();
    const content = async function* () {
      yield Buffer.from('x');
    };
    const { id: archiveId, sha256 } = await archives.save(content(), upTo(10));
    const stale = await archives.save(content(), upTo(10));
    await built('bld_open', { source: { kind: 'archive', archiveId, sha256 } });
    await deps.workspace.write('bld_open', 'app.js', '');
    await crowd(deps);
    advance(2 * DAY_MS);
    await prune();
    assert.deepEqual(await left(), ['shop:bld_open']);
    assert.deepEqual(archives.ids(), [archiveId]);
    assert.notEqual(stale.id, archiveId);
    assert.deepEqual(await deps.workspace.builds(), ['bld_open']);
  });

  it('keeps the image that an open build has just built and not recorded', async () => {
    const { built, prune, left } = parts();
    await built('bld_1', { imageTag: null });
    await prune();
    assert.deepEqual(await left(), ['shop:bld_1']);
  });

  it('keeps the image that an open retry goes on with, and that of the release an open rollback installs', async () => {
    const { deps, ended, built, prune, left } = parts();
    for (const id of ['bld_retried', 'bld_old', 'bld_obsolete']) await ended(id);
    for (const [minute, id] of ['old', 'b', 'c'].entries()) await released(deps, id, minute);
    await built('bld_retry', { kind: 'retry', imageTag: 'shop:bld_retried', createdAt: at(1) });
    await built('bld_back', { kind: 'rollback', imageTag: null, releaseId: 'rel_old', createdAt: at(2) });
    await prune();
    assert.deepEqual(await left(), ['shop:bld_back', 'shop:bld_old', 'shop:bld_retried', 'shop:bld_retry']);
  });

  it('removes the images of a removed service', async () => {
    const { ended, prune, left } = parts();
    await ended('bld_1');
    await prune();
    assert.deepEqual(await left(), []);
  });

  it('keeps the image of a service that a database which fails over does not show', async () => {
    const { deps, ended, left } = parts();
    await ended('bld_1');
    const services = await readBehind(deps.services, ['svc_hello']);
    await deps.services.upsert({ id: 'svc_hello', name: 'shop', org: 'acme' }, {});
    await pruneImages({ ...deps, services }, signal);
    assert.deepEqual(await left(), ['shop:bld_1']);
  });

  it('removes the source of builds that ended, and leaves a folder that no record tells of', async () => {
    const { deps, ended, prune } = parts();
    await ended('bld_done');
    for (const id of ['bld_done', 'bld_opening']) await deps.workspace.write(id, 'app.js', '');
    await prune();
    assert.deepEqual(await deps.workspace.builds(), ['bld_opening']);
  });

  it('a folder that cannot be removed delays the removal of no image, and is named at the end', async () => {
    const { deps, ended, left } = parts();
    for (const id of ['bld_1', 'bld_2', 'bld_3']) {
      await ended(id);
      await deps.workspace.write(id, 'app.js', '');
    }
    const workspace: DeploysDeps['workspace'] = {
      ...deps.workspace,
      remove: async (id) => {
        if (id === 'bld_1') throw new FairleadError('UNAVAILABLE', 'not ours');
        await deps.workspace.remove(id);
      },
    };
    const message = /^Not everything could be pruned: source folders: Folders could not be removed: bld_1: not ours$/;
    await assert.rejects(pruneImages({ ...deps, workspace }, signal), { code: 'UNAVAILABLE', message });
    assert.deepEqual(await left(), []);
    assert.deepEqual(await deps.workspace.builds(), ['bld_1']);
  });
});
