import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { ClusterApi } from '../../../adapters/kubernetes/cluster-api.ts';
import type { DeploymentObject, LivePod } from '../../../adapters/kubernetes/cluster-objects.ts';
import { measurePod } from '../../../adapters/kubernetes/measure-pod.ts';

const LIMITS = { cpu: '250m', memory: '256Mi' };
const DEPLOYMENT: DeploymentObject = {
  metadata: { namespace: 'shop-uat', name: 'build-1' },
  spec: { template: { spec: { containers: [{ resources: { limits: LIMITS } }] } } },
};
const POD: LivePod = {
  metadata: { namespace: 'shop-uat', name: 'build-1-x' },
  spec: { nodeName: 'node-1' },
  status: { containerStatuses: [{ restartCount: 0, state: { running: { startedAt: '2026-01-01T00:00:10Z' } } }] },
};

/** A cluster whose node has measured the pod at that time. */
function measuredAt(time: string): Pick<ClusterApi, 'open'> {
  const pods = [
    {
      podRef: { name: 'build-1-x', namespace: 'shop-uat' },
      cpu: { time, usageCoreNanoSeconds: 5_000_000 },
      memory: { time, workingSetBytes: 40_000 },
    },
  ];
  const open = async () => Readable.from([JSON.stringify({ pods })]) as IncomingMessage;
  return { open };
}

describe('what a pod uses', () => {
  const usageAt = async (time: string) => (await measurePod(measuredAt(time), DEPLOYMENT, POD)).usage;

  it('is what its node has measured since its process started', async () => {
    const usage = { memoryBytes: 40_000, memoryLimitBytes: 256 * 1024 ** 2, cpuUsedMs: 5, cpuLimitMillis: 250 };
    assert.deepEqual(await usageAt('2026-01-01T00:00:11Z'), usage);
  });

  it('is not known before: a pod is measured while its container is made', async () => {
    for (const time of ['2026-01-01T00:00:09Z', '2026-01-01T00:00:10.900Z']) assert.equal(await usageAt(time), null);
  });
});
