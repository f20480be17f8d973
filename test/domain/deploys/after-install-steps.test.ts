import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DOCKER_INSTALLATION, declaredButSkipped, planDeploy } from '../../../domain/deploys/plan.ts';
import type { Installation, PlanContext } from '../../../domain/deploys/step-definition.ts';
import { failsOpen } from '../../../workflows/deploys/failure.ts';
import { catalogRecord, testRecord } from '../../ports/records.ts';

/** Steps that tell another system of a release, and what each needs. */
const STEPS: readonly {
  readonly key: string;
  readonly installation: Partial<Installation>;
  readonly system: string;
  /** What the plan names where it is skipped: a variable, or what else is missing. */
  readonly variable: RegExp;
}[] = [
  { key: 'dns', installation: { dns: true }, system: 'dns', variable: /^no DNS provider is configured/ },
  { key: 'monitor', installation: { monitor: true }, system: 'monitor', variable: /MONITOR_URL/ },
  ...['site-property', 'site-registry'].map((key) => ({
    ...{ key, installation: { siteRegistry: true }, system: 'site-registry', variable: /SITE_REGISTRY_HOOKS/ },
  })),
];
const CATALOG = catalogRecord({ seo: { enabled: true, entity: null, topic: null } });

function planned(key: string, installation: Partial<Installation>) {
  const steps = planDeploy({
    ...{ kind: 'deploy', fromStep: null, done: null, catalog: CATALOG, facts: {} },
    installation: { ...DOCKER_INSTALLATION, ...installation },
  } as const);
  const found = steps.find((step) => step.key === key);
  assert.ok(found !== undefined, key);
  return found;
}

describe('deploy-gated tests', () => {
  const tested = catalogRecord({ tests: [testRecord()] });
  const stepOf = (changes: Partial<PlanContext>) => {
    const context: PlanContext = {
      ...{ kind: 'deploy', fromStep: null, done: null, catalog: tested, facts: {} },
      installation: { ...DOCKER_INSTALLATION, testRunner: true },
      ...changes,
    };
    const step = planDeploy(context).find(({ key }) => key === 'gated-tests');
    const isWarning = declaredButSkipped(context).some(({ title }) => title === step?.title);
    return { state: step?.state, reason: step?.reason ?? '', onFailure: step?.onFailure, isWarning };
  };

  it('end a build that fails them', () => {
    assert.deepEqual(stepOf({}), { state: 'pending', reason: '', onFailure: 'fail', isWarning: false });
  });

  const SKIPPED: readonly [what: string, changes: Partial<PlanContext>, reason: RegExp, isWarning: boolean][] = [
    ['a catalog that is not read yet', { catalog: null }, /declares no tests/, false],
    ['a catalog without tests', { catalog: catalogRecord() }, /declares no tests/, false],
    ['no test runner', { installation: DOCKER_INSTALLATION }, /TEST_RUNNER_URL/, true],
    ['a rollback', { kind: 'rollback', catalog: null }, /those of its deploy/, false],
  ];
  for (const [what, changes, reason, isWarning] of SKIPPED) {
    it(`are skipped for ${what}, ${isWarning ? 'with' : 'without'} a warning`, () => {
      const step = stepOf(changes);
      assert.deepEqual([step.state, step.isWarning], ['skipped', isWarning]);
      assert.match(step.reason, reason);
    });
  }
});

describe('steps that tell another system of a release', () => {
  for (const { key, installation, system, variable } of STEPS) {
    it(`${key} runs where its address is set, and holds a deploy up for seconds at most`, () => {
      const { state, run, onFailure } = planned(key, installation);
      assert.deepEqual([state, onFailure], ['pending', 'warn']);
      assert.ok((run?.deadlineSeconds ?? 99) <= 10);
    });

    it(`${key} says in the plan what is not configured`, () => {
      const { state, reason, run } = planned(key, {});
      assert.deepEqual([state, run], ['skipped', null]);
      assert.match(reason ?? '', variable);
    });

    it(`${key} never fails a deploy, whatever its system does`, () => {
      const allowed = planned(key, installation).run?.failOpen ?? [];
      for (const code of ['UNAVAILABLE', 'VALIDATION_FAILED', 'FORBIDDEN', 'STEP_DEADLINE_EXCEEDED', 'INTERNAL']) {
        assert.ok(failsOpen({ code, message: '', step: key }, allowed), code);
        assert.ok(failsOpen({ code, message: '', step: key, system }, allowed), code);
      }
    });
  }
});
