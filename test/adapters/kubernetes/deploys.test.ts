import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClusterApi, createClusterApi } from '../../../adapters/kubernetes/cluster-api.ts';
import { workloadName } from '../../../adapters/kubernetes/names.ts';
import { readKubeConfig } from '../../../adapters/kubernetes/workload-runtime.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { startTestStack } from '../../../infra/dev/test-stack.ts';
import { api, completed, ended, logText, trigger, visit } from '../../e2e/harness.ts';
import { type AppOptions, type SampleService, sampleService, stateOf } from '../../e2e/sample-service.ts';
import { clusterMissing, type TestCluster, useCluster } from '../../support/test-cluster.ts';
import { useStack } from '../../support/use-stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { everyObjectThatNames } from './every-object.ts';

/** A release that does not get ready: what is other than in the sample, and what its author is told. */
interface FailingRow {
  readonly name: string;
  readonly app?: AppOptions;
  /** Texts of files in place of those of the sample. */
  readonly files?: Readonly<Record<string, (text: string) => string>>;
  /** CPU that somebody else's pod in the namespace asks for. */
  readonly otherPod?: string;
  readonly code: 'HEALTH_CHECK_FAILED' | 'INSTALL_FAILED';
  readonly says: readonly RegExp[];
}

const FAILING: readonly FailingRow[] = [
  {
    name: 'answers with an error',
    app: { status: 503, says: 'no connection to the warehouse' },
    code: 'HEALTH_CHECK_FAILED',
    says: [/no healthy answer within \d+ seconds\. Last probe: .*503/, /\| no connection to the warehouse/],
  },
  {
    name: 'ends by itself',
    files: { 'server.js': () => `console.error('no such warehouse'); process.exit(3);\n` },
    code: 'HEALTH_CHECK_FAILED',
    says: [
      /The readiness probe failed, the container stopped/,
      /\| no such warehouse/,
      /The process ended with exit code 3/,
    ],
  },
  {
    name: 'needs more memory than its tier has',
    files: {
      'server.js': () => 'const held = []; setInterval(() => held.push(Buffer.alloc(32 * 1024 ** 2, 1)), 5);\n',
    },
    code: 'HEALTH_CHECK_FAILED',
    says: [/the container stopped/, /The process ran out of memory \(limit 256 MiB\) and was killed/],
  },
  {
    name: 'has no such command',
    files: { Dockerfile: (text) => text.replace(/^CMD .*$/m, 'ENTRYPOINT ["/nothing"]') },
    code: 'INSTALL_FAILED',
    says: [/The container cannot be made: .*\/nothing.*no such file/],
  },
  {
    name: 'finds no room in its namespace',
    // Beside the release that serves, this leaves nothing of the bound.
    otherPod: '3975m',
    code: 'INSTALL_FAILED',
    says: [/The namespace has no room for it: it asks for requests\.cpu=25m, requests\.cpu=4 is in use/],
  },
];

/** A pod that the namespaces of services let in, and that never runs. */
const podOf = (namespace: string, cpu: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: 'somebodys' } },
  spec: {
    securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        ...{ name: 'app', image: 'fairlead.invalid/none:1', imagePullPolicy: 'Never' },
        resources: { limits: { cpu, memory: '64Mi' }, requests: { cpu, memory: '64Mi' } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
});

const missing = await clusterMissing();
if (missing !== false) process.stderr.write(`NOT RUN: deploys to a real cluster: ${missing}\n`);

describe('deploys to a real cluster', { skip: missing }, () => {
  let cluster: TestCluster;
  let objects: ClusterApi;
  let app: SampleService;
  let good: string;
  let isRemoved = false;
  const undo = new AsyncDisposableStack();

  const commitOf = async (): Promise<string> => JSON.parse((await visit(app.name)).body).commit;

  before(async () => {
    cluster = await useCluster();
    undo.defer(() => cluster.end());
    const { stack, end } = await startTestStack(process.env, silentReporter, {
      engine: { may: 'start', command: 'CI=true npm test -- kubernetes' },
      signal: new AbortController().signal,
      variables: { ENABLE_K8S_DEPLOY: 'true', KUBECONFIG: cluster.kubeconfig },
    });
    undo.defer(() => end(false));
    undo.defer(useStack(stack.dataDir));
    objects = createClusterApi(() => readKubeConfig(cluster.kubeconfig));
    app = await sampleService('on-cluster');
    undo.defer(() => (isRemoved ? undefined : app[Symbol.asyncDispose]()));
    good = (await completed((await trigger(app.name)).buildId)).commitSha ?? '';
  });

  after(() => undo.disposeAsync());

  it('no request fails while a release takes the place of another one, and a rollback brings that one back', async () => {
    assert.equal(await commitOf(), good);
    const next = await app.commit();
    const seen = new Set<string>();
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        const { status, body } = await visit(app.name);
        assert.equal(status, 200, body);
        seen.add(JSON.parse(body).commit);
        await delay(10);
      }
    })();
    try {
      const { buildId } = await trigger(app.name);
      await completed(buildId);
      const deployment = `deployments ${app.name}-prod/${workloadName(buildId)}`;
      await waitUntil('the end of the old workload', async () => {
        const found = await everyObjectThatNames(objects, app.name);
        return found.filter((one) => one.startsWith('deployments ')).join() === deployment;
      });
    } finally {
      isOver = true;
    }
    await asking;
    assert.deepEqual([...seen], [good, next]);
    const reply = await api<{ buildId: string }>('POST', `/services/${app.name}/rollback`, {});
    const rollback = await completed(reply.data.buildId);
    assert.equal(stateOf(rollback, 'image-build'), 'reused');
    assert.equal(await commitOf(), good);
  });

  for (const { name, app: changes = {}, files = {}, otherPod, code, says } of FAILING) {
    it(`a release that ${name} is taken back, the one before serves on, and its author is told why`, async (t) => {
      const serving = await commitOf();
      if (otherPod !== undefined) {
        const pod = podOf(`${app.name}-prod`, otherPod);
        await objects.apply(pod);
        t.after(() => objects.remove({ kind: 'Pod', ...pod.metadata }, 0));
      }
      await app.commit(changes);
      for (const [file, changed] of Object.entries(files)) {
        const path = join(app.repository.path, file);
        await writeFile(path, changed(await readFile(path, 'utf8')));
      }
      await app.repository.commit(name);
      const { buildId } = await trigger(app.name);
      const build = await ended(buildId);
      assert.deepEqual([build.status, build.failure?.step, build.failure?.code], ['failed', 'install', code]);
      const log = await logText(buildId);
      for (const words of says) assert.match(log, words);
      assert.match(log, /Removed the new workload/);
      assert.equal(await commitOf(), serving);
      const left = await everyObjectThatNames(objects, buildId);
      assert.deepEqual(left, []);
    });
  }

  it('removing the service leaves no object of any kind that the cluster has', async () => {
    assert.ok((await everyObjectThatNames(objects, app.name)).length > 10);
    await app[Symbol.asyncDispose]();
    isRemoved = true;
    await waitUntil('nothing is left', async () => (await everyObjectThatNames(objects, app.name)).length === 0);
  });
});
