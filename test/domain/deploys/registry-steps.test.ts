import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DOCKER_INSTALLATION, planDeploy } from '../../../domain/deploys/plan.ts';
import { catalogRecord } from '../../ports/records.ts';

/** Steps that are clients of the service registry, with what becomes of a deploy when the registry is away (spec 2). */
const STEPS = new Map([
  ['sdk-upgrade-gate', 'fail'],
  ['namespace', 'warn'],
  ['snapshot', 'warn'],
  ['route-registration', 'warn'],
  ['bindings', 'warn'],
  ['changelog', 'warn'],
]);

const plan = (registry: boolean) =>
  planDeploy({
    ...{ kind: 'deploy', fromStep: null, done: null, catalog: catalogRecord(), facts: {} },
    installation: { ...DOCKER_INSTALLATION, registry },
  } as const).filter(({ key }) => STEPS.has(key));

describe('the steps that write to the service registry', () => {
  it('run where there is one, go on without it, and say so in the plan', () => {
    const steps = plan(true);
    assert.deepEqual(new Map(steps.map(({ key, onFailure }) => [key, onFailure])), STEPS);
    for (const { key, state, run } of steps) {
      assert.equal(state, 'pending', key);
      assert.ok(
        run?.failOpen.some(({ system }) => system === 'registry'),
        key,
      );
      assert.ok((run?.deadlineSeconds ?? 99) <= 10, `${key} holds a deploy up for seconds at most`);
    }
  });

  it('are skipped with the variable to set where there is none', () => {
    for (const { key, state, reason } of plan(false)) {
      assert.deepEqual([state, /REGISTRY_URL/.test(reason ?? '')], ['skipped', true], key);
    }
  });
});
