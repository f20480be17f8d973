import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveHead } from '../../../../activities/deploys/resolve-head.ts';
import { fetchSource } from '../../../../activities/deploys/steps/fetch-source.ts';
import type { BuildSource } from '../../../../domain/deploys/build.ts';
import type { SourceFetcher } from '../../../../domain/deploys/source-ports.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { chunks, upTo } from '../../../ports/archive-store.ts';
import { packed } from '../../../ports/source-fetcher.ts';
import { treeOf } from '../../../support/in-memory/file-tree.ts';
import { createInMemoryRepository } from '../../../support/in-memory/repository.ts';
import { useDeploy } from '../use-deploy.ts';

const URL_OF_APP = 'https://git.example/hello.git';
const git = (branch: string | null = null, commit: string | null = null): BuildSource =>
  ({ kind: 'git', url: URL_OF_APP, branch, commit }) as const;

/** A build from a repository with one commit on `main`. */
async function fromGit(source = git()) {
  const repository = createInMemoryRepository();
  const first = repository.commit({ 'index.js': 'first' });
  const deploy = await useDeploy({ build: { source } });
  deploy.parts.repositories.set(URL_OF_APP, repository);
  const workDir = deploy.parts.workspace.directory(deploy.build.buildId);
  return { ...deploy, repository, first, workDir, tree: () => treeOf(deploy.parts.files, workDir) };
}

describe('fetch-source', () => {
  it('puts the head of the branch into the workspace and tells which commit it is', async () => {
    const { parts, attempt, repository, workDir, tree } = await fromGit(git('release'));
    const commit = repository.commit({ 'index.js': 'released' }, 'release');
    const step = attempt();
    assert.deepEqual(await fetchSource(parts, step), { workDir, commitSha: commit, branch: 'release' });
    assert.deepEqual(tree(), { 'index.js': 'released' });
    assert.ok(step.lines.some((line) => line.includes(commit)));
  });

  it('an upload is unpacked, and has neither commit nor branch', async () => {
    const deploy = await useDeploy();
    const content = await packed({ 'package.json': '{}' });
    const { id: archiveId, sha256 } = await deploy.parts.archives.save(chunks(content), upTo(content.length));
    const build = { ...deploy.build, source: { kind: 'archive', archiveId, sha256 } as const };
    const workDir = deploy.parts.workspace.directory(build.buildId);
    assert.deepEqual(await fetchSource(deploy.parts, { ...deploy.attempt(), build }), { workDir });
    assert.deepEqual(treeOf(deploy.parts.files, workDir), { 'package.json': '{}' });
  });

  it('is read for the org that owns the service, whoever asked, and for nobody once the service is gone', async () => {
    const { parts, attempt, build } = await fromGit();
    const asked: (string | null)[] = [];
    const sources: SourceFetcher = {
      ...parts.sources,
      fetch(source, directory, context) {
        asked.push(context.org);
        return parts.sources.fetch(source, directory, context);
      },
      resolveHead(repository, branch, signal) {
        asked.push(repository.org);
        return parts.sources.resolveHead(repository, branch, signal);
      },
    };
    const owner = (await parts.services.find(build.serviceId))?.org;
    await fetchSource({ ...parts, sources }, { ...attempt(), build: { ...build, org: 'helpers' } });
    const head = { url: URL_OF_APP, branch: null };
    const { signal } = new AbortController();
    await resolveHead({ ...parts, sources }, { ...head, serviceId: build.serviceId }, signal);
    await resolveHead({ ...parts, sources }, head, signal);
    await parts.services.remove(build.serviceId);
    await fetchSource({ ...parts, sources }, attempt());
    assert.ok(owner !== undefined && owner !== 'helpers');
    assert.deepEqual(asked, [owner, owner, null, null]);
  });

  it('a second attempt makes the directory anew and finds the same', async () => {
    const { parts, attempt, tree, plant } = await fromGit();
    const found = await fetchSource(parts, attempt());
    plant('left/over', 'of the attempt before');
    assert.deepEqual(await fetchSource(parts, attempt()), found);
    assert.deepEqual(tree(), { 'index.js': 'first' });
  });

  it('a build that knows its commit fetches that one, whatever the branch holds now', async () => {
    const { parts, attempt, repository, first, tree } = await fromGit();
    repository.commit({ 'index.js': 'second' });
    const facts = await fetchSource(parts, attempt({ commitSha: first }));
    assert.equal(facts.commitSha, first);
    assert.deepEqual(tree(), { 'index.js': 'first' });
  });

  it('a source that cannot be had ends the build with the code that says why, and leaves nothing', async () => {
    for (const [source, code] of [
      [git('gone'), 'SOURCE_MISSING'],
      [git('main', 'a'.repeat(40)), 'COMMIT_NOT_FOUND'],
      [{ ...git(), url: 'https://git.example/none.git' }, 'SOURCE_MISSING'],
      [{ ...git(), url: 'ext::sh -c id' }, 'SOURCE_REFUSED'],
      [{ kind: 'archive', archiveId: `arc_${'0'.repeat(20)}`, sha256: '' }, 'SOURCE_MISSING'],
    ] as const) {
      const { parts, attempt, tree } = await fromGit(source as BuildSource);
      await assert.rejects(fetchSource(parts, attempt()), { code, retryable: false }, code);
      assert.equal(tree(), null);
    }
  });

  it('a host that is away may be asked again', async () => {
    const { parts, attempt } = await fromGit();
    const away = new FairleadError('SOURCE_UNREACHABLE', 'git.example cannot be reached', { retryable: true });
    const sources = { ...parts.sources, fetch: () => Promise.reject(away) };
    await assert.rejects(fetchSource({ ...parts, sources }, attempt()), (error) => error === away);
    await fetchSource(parts, attempt());
  });

  it('too little space for source or images ends it before anything is fetched, naming place and numbers', async () => {
    const { parts, attempt, tree } = await fromGit();
    const low = async () => 1024 ** 3 / 2;
    for (const [place, deps] of [
      ['the workspace', { ...parts, workspace: { ...parts.workspace, freeBytes: low } }],
      ['the image store', { ...parts, images: { ...parts.images, freeBytes: low } }],
    ] as const) {
      await assert.rejects(fetchSource(deps, attempt()), (error) => {
        assert.ok(error instanceof FairleadError);
        assert.equal(error.code, 'DISK_FULL');
        assert.match(error.message, new RegExp(`${place} has 0\\.5 GiB free and a build needs 1\\.0`));
        assert.deepEqual(error.details, { freeBytes: 1024 ** 3 / 2, requiredBytes: 1024 ** 3 });
        return true;
      });
      assert.equal(tree(), null);
    }
  });

  it('an aborted attempt throws the reason', async () => {
    const { parts, attempt } = await fromGit();
    const aborted = attempt({}, AbortSignal.abort(new Error('cancelled')));
    await assert.rejects(fetchSource(parts, aborted), /cancelled/);
  });
});
