import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readGrantDecisions } from '../../../activities/deploys/read-grant-decisions.ts';
import { notBegun, planDeploy } from '../../../domain/deploys/plan.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import { buildRecord, CONTEXT, catalogRecord } from '../../ports/records.ts';
import { useDeploy } from './use-deploy.ts';

const STEP = { key: 'scope-grants', title: 'Create scope grants', stage: 'deploying' } as const;
const catalog = catalogRecord({
  auth: { mode: 'service-only', passport: NO_PASSPORT },
  dependencies: [{ service: 'notes', scopes: ['read'] }],
});
const TIMES = { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' };
const { signal } = new AbortController();

it('a worker that was paused while it read the grants does not say of a build that went on that it waits', async () => {
  const { parts, build } = await useDeploy();
  await parts.services.upsert({ id: 'svc_notes', name: 'notes', org: 'other' }, {});
  const steps = planDeploy({ ...CONTEXT, catalog }).map(notBegun);
  await parts.builds.create(buildRecord({ id: build.buildId, steps }));
  const begin = (attempt: number) =>
    parts.builds.markStep(build.buildId, STEP, { state: 'running', attempt, finishedAt: null }, { attempt });
  await begin(1);
  const party = (name: string, org: string) => ({ serviceId: `svc_${name}`, name, org });
  const key = { holder: party('hello', 'acme'), environment: build.environment, target: party('notes', 'other') };
  await parts.grantCommands.request(key, { scopes: ['notes:read'], by: 'usr_ada', as: 'deploy', requestId: null });
  const read = (grants: typeof parts.grants) =>
    readGrantDecisions({ ...parts, grants }, { request: build, facts: { catalog }, step: STEP, ...TIMES }, signal);
  const record = () => parts.builds.find(build.buildId);

  assert.equal((await read(parts.grants)).state, 'open');
  assert.deepEqual((await record())?.waiting, { since: new Date(TIMES.since), until: new Date(TIMES.until) });

  const goesOnMeanwhile: typeof parts.grants = {
    ...parts.grants,
    async findFor(of) {
      const pending = await parts.grants.findFor(of);
      await parts.builds.setWaiting(build.buildId, null);
      await begin(2);
      await parts.builds.markStep(build.buildId, STEP, { state: 'completed', finishedAt: new Date() }, { attempt: 2 });
      return pending;
    },
  };
  const lines = (await parts.log.read(build.buildId, 0, 100)).length;
  assert.equal((await read(goesOnMeanwhile)).state, 'open');
  const after = await record();
  assert.deepEqual([after?.waiting, after?.blockedGrants], [null, []]);
  assert.notEqual(after?.steps.find((step) => step.key === STEP.key)?.finishedAt, null);
  assert.equal((await parts.log.read(build.buildId, 0, 100)).length, lines);
});
