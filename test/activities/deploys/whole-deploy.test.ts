import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDeploysActivities } from '../../../activities/deploys/index.ts';
import type { StepInput, StepResult } from '../../../activities/deploys/step.ts';
import type { BuildRequest, PlannedStep } from '../../../domain/deploys/build.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { buildRequest } from '../../ports/records.ts';
import { createInMemoryDeploys, type InMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { createInMemoryRepository } from '../../support/in-memory/repository.ts';
import { asActivity } from './as-activity.ts';

const GIT_URL = 'https://git.example/hello.git';
const MANIFEST = JSON.stringify({
  name: 'hello',
  scripts: { start: 'node server.js' },
  dependencies: { express: '5' },
});

/** A registered service whose repository has one commit. */
async function useService() {
  const parts = createInMemoryDeploys();
  const repository = createInMemoryRepository();
  parts.repositories.set(GIT_URL, repository);
  repository.commit({ 'package.json': MANIFEST, 'package-lock.json': '{}', 'server.js': '' });
  await parts.services.upsert({ id: 'svc_hello', name: 'hello', org: 'acme' }, { gitUrl: GIT_URL });
  return { parts, repository };
}

const request = (changes: Partial<BuildRequest> = {}): BuildRequest =>
  buildRequest({
    serviceId: 'svc_hello',
    service: 'hello',
    org: 'acme',
    source: { kind: 'git', url: GIT_URL, branch: null, commit: null },
    ...changes,
  });

/** Runs the activities of a build in the order of its plan, as its workflow does when nothing fails. */
async function deploy(parts: InMemoryDeploys, build: BuildRequest): Promise<readonly string[]> {
  const activities = createDeploysActivities(parts);
  const steps = activities as unknown as Readonly<Record<string, (input: StepInput) => Promise<StepResult>>>;
  const ran: string[] = [];
  let facts: BuildFacts = build.resume?.facts ?? {};
  const opened = await activities.openBuild(build);
  assert.ok(Array.isArray(opened));
  let left: readonly PlannedStep[] = opened;
  while (left.length > 0) {
    const [{ key, run }, ...rest] = left as [PlannedStep, ...PlannedStep[]];
    const step = steps[run?.activity ?? ''];
    assert.ok(step !== undefined, `${key} has an activity`);
    const result = await asActivity(() => step({ build, facts }));
    facts = { ...facts, ...result.facts };
    left = result.plan ?? rest;
    ran.push(key);
  }
  const end = { build, status: 'completed', reason: null, failure: null, supersededBy: null } as const;
  await asActivity(() => activities.finishBuild(end));
  await asActivity(() => activities.cleanUpAfterBuild(build));
  parts.advance(60_000);
  return ran;
}

const answer = async ({ edge }: InMemoryDeploys) =>
  edge.probe('hello', 'prod', '/health', new AbortController().signal);

/** The steps that a deploy of any service has; more may come. */
const EVERY_SERVICE: readonly string[] = [
  ...['source', 'catalog', 'container-file', 'config-preflight', 'image-build', 'image-push'],
  ...['install', 'health-check', 'service-registration'],
];

describe('a build, step by step', () => {
  it('takes a commit to a service that answers with it at its address', async () => {
    const { parts, repository } = await useService();
    const build = request();
    const ran = await deploy(parts, build);
    assert.deepEqual(
      ran.filter((key) => EVERY_SERVICE.includes(key)),
      EVERY_SERVICE,
    );
    const { ok, commit } = await answer(parts);
    assert.deepEqual([ok, commit], [true, repository.branches.get('main')]);
    const record = await parts.builds.find(build.buildId);
    assert.deepEqual([record?.status, record?.commitSha, record?.healthReportsCommit], ['completed', commit, true]);
    assert.ok(record?.steps.every(({ state }) => state === 'completed' || state === 'skipped'));
    assert.equal((await parts.releases.active('hello', 'prod'))?.id, record?.releaseId);
    assert.deepEqual(
      parts.audit.told().map(({ eventType }) => eventType),
      ['namespace.created', 'service.deployed'],
    );
    assert.deepEqual(await parts.workspace.builds(), [], 'the source is removed');
  });

  it('a newer commit takes the place of the old one, whose workload ends', async () => {
    const { parts, repository } = await useService();
    await deploy(parts, request());
    const newer = repository.commit({ 'server.js': 'newer' });
    await deploy(parts, request());
    assert.equal((await answer(parts)).commit, newer);
    assert.equal((await parts.runtime.listAll()).length, 1);
  });

  it('a rollback installs the earlier release without a build', async () => {
    const { parts, repository } = await useService();
    await deploy(parts, request());
    const first = await parts.releases.active('hello', 'prod');
    repository.commit({ 'server.js': 'newer' });
    await deploy(parts, request());
    const ran = await deploy(parts, request({ kind: 'rollback', releaseId: first?.id ?? '' }));
    assert.deepEqual(
      ran.filter((key) => EVERY_SERVICE.includes(key)),
      ['install', 'health-check', 'service-registration'],
    );
    assert.equal((await answer(parts)).commit, first?.commitSha);
    assert.equal((await parts.releases.active('hello', 'prod'))?.id, first?.id);
  });

  it('a retry from the image makes what did not outlive the failed build, of the same commit', async () => {
    const { parts, repository } = await useService();
    const commitSha = repository.branches.get('main') ?? '';
    repository.commit({ 'server.js': 'newer' });
    const resume = { buildId: 'bld_failed', fromStep: 'image-build', facts: { commitSha } };
    const ran = await deploy(parts, request({ kind: 'retry', resume }));
    assert.deepEqual(ran.slice(0, 3), ['source', 'catalog', 'container-file']);
    assert.equal((await answer(parts)).commit, commitSha);
  });

  it('both environments of a service live beside each other', async () => {
    const { parts } = await useService();
    await deploy(parts, request());
    await deploy(parts, request({ environment: 'uat' }));
    for (const environment of ['prod', 'uat'] as const) {
      assert.equal((await parts.edge.probe('hello', environment, '/health', new AbortController().signal)).ok, true);
    }
    assert.equal((await parts.runtime.listAll()).length, 2);
  });
});
