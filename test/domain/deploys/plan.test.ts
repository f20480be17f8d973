import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Catalog } from '../../../domain/catalog/catalog.ts';
import { inferCatalog } from '../../../domain/catalog/infer-catalog.ts';
import {
  DOCKER_INSTALLATION,
  declaredButSkipped,
  notBegun,
  planDeploy as plan,
  remadeAt,
  stepsToRepeat,
} from '../../../domain/deploys/plan.ts';
import { BUILD_STATUSES } from '../../../domain/deploys/status.ts';
import type { PlanContext } from '../../../domain/deploys/step-definition.ts';
import { ACTING_STEPS, STEPS, type StepKey } from '../../../domain/deploys/steps.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import { testRecord } from '../../ports/records.ts';

type Asked = Pick<PlanContext, 'kind' | 'fromStep'> & Partial<Pick<PlanContext, 'done'>>;
const DEPLOY: Asked = { kind: 'deploy', fromStep: null };
const contextOf = (catalog: Catalog | null, asked: Asked): PlanContext => ({
  done: null,
  ...asked,
  catalog,
  facts: {},
  installation: DOCKER_INSTALLATION,
});
const planDeploy = (catalog: Catalog | null, asked: Asked) => plan(contextOf(catalog, asked));
const catalog: Catalog = inferCatalog({ manifest: '{"dependencies":{"express":"5"}}', files: [] }).catalog;
const statesOf = (steps: ReturnType<typeof planDeploy>) => new Map(steps.map(({ key, state }) => [key, state]));
const pending = (steps: ReturnType<typeof planDeploy>) =>
  steps.filter(({ state }) => state === 'pending').map(({ key }) => key);

/**
 * The steps of the contract in its order (spec 2, "Pipeline order", the gates and the metadata told apart). Literal, so
 * that no change of our table changes what it is compared with. Steps of our own may stand between them.
 */
const CONTRACT: readonly string[] = [
  'source',
  'catalog',
  'container-file',
  'deploy-gate',
  'config-preflight',
  'convention-check',
  'sdk-upgrade-gate',
  'image-build',
  'image-push',
  'namespace',
  'databases',
  'consumed-databases',
  'storage',
  'dependencies',
  'oauth-client',
  'model-access',
  'scope-grants',
  'modules',
  'user-access',
  'install',
  'snapshot',
  'dns',
  'health-check',
  'secret-readback',
  'gated-tests',
  'service-registration',
  'bindings',
  'role-metadata',
  'monitor',
];

/** The steps that a deploy of any service has; more may come. */
const EVERY_SERVICE: readonly string[] = [
  ...['source', 'catalog', 'container-file', 'config-preflight', 'image-build', 'image-push'],
  ...['install', 'health-check', 'service-registration'],
];

describe('planDeploy', () => {
  it('has the steps of the contract in its order, whatever the catalog and the kind of build', () => {
    const rollback = { ...DEPLOY, kind: 'rollback' } as const;
    const retry = { kind: 'retry', fromStep: 'install' } as const;
    for (const asked of [DEPLOY, rollback, retry]) {
      for (const known of [null, catalog]) {
        const keys = planDeploy(known, asked).map(({ key }) => key);
        assert.equal(new Set(keys).size, keys.length, 'no step is there twice');
        assert.deepEqual(
          keys.filter((key) => CONTRACT.includes(key)),
          CONTRACT,
        );
      }
    }
  });

  it('passes the stages in the order of the build statuses, never backward', () => {
    const stages = planDeploy(null, DEPLOY).map(({ stage }) => BUILD_STATUSES.indexOf(stage));
    assert.deepEqual(
      stages,
      stages.toSorted((a, b) => a - b),
    );
  });

  it('gives a reason for each step that does not run', () => {
    for (const step of planDeploy(catalog, DEPLOY)) {
      assert.equal(step.reason !== null && step.reason.length > 5, step.state !== 'pending', step.key);
    }
  });

  it('does not hide that a catalog asks for what is not provided', () => {
    const wanting: Catalog = {
      ...catalog,
      databases: ['mongodb'],
      storage: [{ name: 'files', tier: 's3-sm' }],
      tests: [testRecord()],
      sections: ['auth', 'queues', 'tests'],
    };
    const titles = declaredButSkipped(contextOf(wanting, DEPLOY)).map(({ title }) => title);
    assert.deepEqual(titles, ['Provision object storage', 'Deploy-gated tests', 'Queue and schedule bindings']);
    assert.deepEqual(declaredButSkipped(contextOf(catalog, DEPLOY)), []);
  });

  it('makes an OAuth client only for a catalog that declares auth', () => {
    const auth = { mode: 'sso', passport: NO_PASSPORT } as const;
    assert.equal(statesOf(planDeploy({ ...catalog, auth }, DEPLOY)).get('oauth-client'), 'pending');
    assert.equal(statesOf(planDeploy(catalog, DEPLOY)).get('oauth-client'), 'skipped');
    assert.equal(statesOf(planDeploy(null, DEPLOY)).get('oauth-client'), 'skipped');
  });

  it('has the deploy gate where there are a wallet and a catalog, and says else which is missing', () => {
    const gateOf = (known: Catalog | null, wallet: boolean) => {
      const context = { ...contextOf(known, DEPLOY), installation: { ...DOCKER_INSTALLATION, wallet } };
      const gate = plan(context).find(({ key }) => key === 'deploy-gate');
      return [gate?.state, gate?.reason];
    };
    const declared = { ...catalog, declared: true };
    assert.deepEqual(gateOf(declared, true), ['pending', null]);
    assert.deepEqual(gateOf(null, true), ['pending', null], 'before the catalog is read, it is planned');
    assert.match(String(gateOf({ ...catalog, declared: false }, true)[1]), /no catalog/);
    assert.match(String(gateOf(declared, false)[1]), /no wallet \(WALLET_URL\)/);
  });

  it('asks the deploy gate again for a retry from any step up to the install, and not for what follows or a rollback', () => {
    const stateOf = (asked: Asked) => {
      const context = contextOf({ ...catalog, declared: true }, asked);
      const steps = plan({ ...context, installation: { ...DOCKER_INSTALLATION, wallet: true } });
      return steps.find(({ key }) => key === 'deploy-gate')?.state;
    };
    for (const fromStep of ['source', 'config-preflight', 'image-push', 'install']) {
      assert.equal(stateOf({ kind: 'retry', fromStep }), 'pending', fromStep);
    }
    assert.equal(stateOf({ kind: 'retry', fromStep: 'health-check' }), 'reused');
    assert.equal(stateOf({ kind: 'rollback', fromStep: null }), 'reused');
  });

  it('leaves the plan of a build from before there were clients as it was', () => {
    const { auth: _, ...before } = { ...catalog, sections: ['auth'] as const };
    assert.equal(statesOf(planDeploy(before as unknown as Catalog, DEPLOY)).get('oauth-client'), 'skipped');
  });

  it('reuses everything before the installation for a rollback', () => {
    const plan = planDeploy(null, { ...DEPLOY, kind: 'rollback' });
    const run = pending(plan).filter((key) => EVERY_SERVICE.includes(key));
    assert.deepEqual(run, ['install', 'health-check', 'service-registration']);
    assert.equal(statesOf(plan).get('image-build'), 'reused');
  });

  it('keeps out before the installation whom the release of a rollback keeps out, which no other step before it does', () => {
    const plan = planDeploy(null, { ...DEPLOY, kind: 'rollback' });
    const before = plan.slice(
      0,
      plan.findIndex(({ key }) => key === 'install'),
    );
    assert.deepEqual(pending(before), ['user-access']);
  });

  const retries: readonly [StepKey, readonly StepKey[]][] = [
    [
      'source',
      [
        'source',
        'catalog',
        'container-file',
        'config-preflight',
        'image-build',
        'image-push',
        'install',
        'health-check',
        'service-registration',
      ],
    ],
    [
      'config-preflight',
      [
        'source',
        'catalog',
        'container-file',
        'config-preflight',
        'image-build',
        'image-push',
        'install',
        'health-check',
        'service-registration',
      ],
    ],
    [
      'image-push',
      [
        'source',
        'catalog',
        'container-file',
        'config-preflight',
        'image-build',
        'image-push',
        'install',
        'health-check',
        'service-registration',
      ],
    ],
    ['install', ['config-preflight', 'install', 'health-check', 'service-registration']],
    ['health-check', ['install', 'health-check', 'service-registration']],
    ['service-registration', ['install', 'health-check', 'service-registration']],
  ];
  for (const [fromStep, expected] of retries) {
    it(`a retry from ${fromStep} runs what does not outlive the failed build, and nothing else`, () => {
      const run = pending(planDeploy(catalog, { ...DEPLOY, kind: 'retry', fromStep }));
      assert.deepEqual(
        run.filter((key) => EVERY_SERVICE.includes(key)),
        expected,
      );
    });
  }

  it('a retry does what the failed build of an older version had no step for', () => {
    const retry = { ...DEPLOY, kind: 'retry', fromStep: 'install', done: ['source', 'catalog', 'image-push'] } as const;
    const states = statesOf(planDeploy(catalog, retry));
    assert.equal(states.get('config-preflight'), 'pending');
    assert.equal(states.get('image-push'), 'reused');
    assert.equal(states.get('oauth-client'), 'skipped', 'the catalog still decides');
  });
});

describe('a step that waits for a decision', () => {
  it('has no effect before it that is still to be undone: a build that waits forgets its undos', () => {
    let open: string[] = [];
    for (const { key, run } of STEPS) {
      open = open.filter((until) => until !== key);
      if (run?.wait !== undefined) assert.deepEqual(open, [], key);
      if (run?.undo != null) open.push(run.undo.until);
    }
  });

  it('has run again what does not outlive the wait, and nothing that has not run', () => {
    const again = [
      'deploy-gate',
      'config-preflight',
      'databases',
      'consumed-databases',
      'dependencies',
      'oauth-client',
    ];
    assert.deepEqual(remadeAt('scope-grants'), again);
    const steps = planDeploy({ ...catalog, dependencies: [{ service: 'a', scopes: [] }] }, DEPLOY).map(notBegun);
    const begun = steps.map((step) =>
      ['source', 'image-push', 'dependencies'].includes(step.key)
        ? { ...step, state: 'completed' as const, attempt: 3, startedAt: new Date() }
        : step,
    );
    const [first, ...more] = stepsToRepeat({ steps: begun }, 'scope-grants');
    assert.deepEqual(
      [first?.step.key, first?.step.state, first?.attempts, more.length],
      ['dependencies', 'pending', 3, 0],
    );
    assert.deepEqual(stepsToRepeat({ steps }, 'scope-grants'), []);
  });

  it('is recorded in the plan with what reads the decision', () => {
    assert.deepEqual(ACTING_STEPS.find(({ key }) => key === 'scope-grants')?.run.wait, {
      code: 'SCOPE_GRANT_BLOCKED',
      read: 'readGrantDecisions',
    });
  });
});
