import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deploysWorkerSection } from '../../adapters/env/deploys.ts';
import { readSection } from '../../adapters/env.ts';
import type { EdgeRouter } from '../../domain/deploys/workload-runtime.ts';
import { composeCluster, composeClusterRuntime } from '../../workers/cluster.ts';

const edge = {} as EdgeRouter;
const envOf = (variables: Readonly<Record<string, string>>) => readSection(deploysWorkerSection, variables);

describe('where workloads run', () => {
  it('is the container engine unless a cluster is asked for, whatever KUBECONFIG says', () => {
    for (const variables of [{}, { KUBECONFIG: '/nowhere' }, { ENABLE_K8S_DEPLOY: 'false', KUBECONFIG: '/nowhere' }]) {
      assert.equal(composeCluster({ env: envOf(variables) }, edge), null);
      assert.equal(composeClusterRuntime(envOf(variables)), null);
    }
  });

  it('is a cluster that KUBECONFIG names, or nowhere', () => {
    const wrong = envOf({ ENABLE_K8S_DEPLOY: 'true' });
    assert.throws(() => composeCluster({ env: wrong }, edge), {
      code: 'VALIDATION_FAILED',
      message: /set it to the path/,
    });
  });

  it('a file that is not there is told when the cluster is asked, and looked for again', async () => {
    const runtime = composeClusterRuntime(envOf({ ENABLE_K8S_DEPLOY: 'true', KUBECONFIG: '/nowhere/kubeconfig' }));
    for (const _ of ['once', 'twice']) {
      await assert.rejects(async () => runtime?.listAll(), {
        code: 'UNAVAILABLE',
        message: /KUBECONFIG cannot be read/,
      });
    }
  });
});
