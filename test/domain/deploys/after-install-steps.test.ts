import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DOCKER_INSTALLATION, planDeploy } from '../../../domain/deploys/plan.ts';
import type { Installation } from '../../../domain/deploys/step-definition.ts';
import { failsOpen } from '../../../workflows/deploys/failure.ts';
import { catalogRecord } from '../../ports/records.ts';

/** Steps that tell another system of a release, and what each needs. */
const STEPS: readonly {
  readonly key: string;
  readonly installation: Partial<Installation>;
  readonly system: string;
  readonly variable: RegExp;
}[] = [
  { key: 'monitor', installation: { monitor: true }, system: 'monitor', variable: /MONITOR_URL/ },
  ...['site-property', 'site-registry'].map((key) => ({
    ...{ key, installation: { siteRegistry: true }, system: 'site-registry', variable: /SITE_REGISTRY_URL/ },
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

describe('steps that tell another system of a release', () => {
  for (const { key, installation, system, variable } of STEPS) {
    it(`${key} runs where its address is set, and holds a deploy up for seconds at most`, () => {
      const { state, run, onFailure } = planned(key, installation);
      assert.deepEqual([state, onFailure], ['pending', 'warn']);
      assert.ok((run?.deadlineSeconds ?? 99) <= 10);
    });

    it(`${key} says in the plan which variable is not set`, () => {
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
