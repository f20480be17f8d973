import { isReinstall } from '../build-kind.ts';
import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * Tests that a release has to pass (spec 2, "Build status"): when one fails the build fails, and the workload stays. A
 * declared gate that nobody holds is a warning. Tests without a result, because no worker lived long enough, count as failed.
 */
export const gatedTests = step({
  key: 'gated-tests',
  title: 'Deploy-gated tests',
  stage: 'testing',
  when: ({ installation, catalog, kind }) => {
    if (isReinstall(kind)) return skip('the tests of a release are those of its deploy');
    // Absent in what a worker of an earlier version handed on.
    if ((catalog?.tests ?? []).length === 0) return skip('the catalog declares no tests');
    return installation.testRunner
      ? 'run'
      : { skip: 'declared, but no test runner is configured (TEST_RUNNER_URL)', declared: true };
  },
  needs: ['catalog', 'releaseId', 'workloadId'],
  activity: 'runGatedTests',
  attemptSeconds: 180,
  deadlineSeconds: 720,
  noResult: { codes: ['STEP_DEADLINE_EXCEEDED', 'UNAVAILABLE', 'INTERNAL'], activity: 'keepUntested' },
  remadeUntil: 'service-registration',
});
