import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { RegistryAuth } from '../../../adapters/docker/registry-auth.ts';
import { type ClusterApi, createClusterApi } from '../../../adapters/kubernetes/cluster-api.ts';
import { createClusterRoutes } from '../../../adapters/kubernetes/cluster-routes.ts';
import { FIELD_MANAGER, innerUrl, LABELS, NAMES, workloadName } from '../../../adapters/kubernetes/names.ts';
import { RESOURCES, type ResourceKind } from '../../../adapters/kubernetes/resources.ts';
import { createClusterRuntime, readKubeConfig } from '../../../adapters/kubernetes/workload-runtime.ts';
import { POD_TIERS } from '../../../domain/catalog/pod-tiers.ts';
import type { EdgeRouter, Workload, WorkloadRuntime, WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import {
  recordingContext,
  untilHealthy,
  WORKLOAD_PROGRAM,
  workloadRuntimeSuite,
  workloadSpec,
} from '../../ports/workload-runtime.ts';
import { clusterMissing, type TestCluster, useCluster } from '../../support/test-cluster.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createTestStack, type TestStack } from '../docker/engine-fixture.ts';

const FILES = {
  'server.cjs': WORKLOAD_PROGRAM,
  Dockerfile: 'FROM node:24-alpine\nWORKDIR /app\nCOPY server.cjs .\nUSER 1001\nCMD ["node", "server.cjs"]\n',
};

const missing = await clusterMissing();
if (missing !== false) process.stderr.write(`NOT RUN: workloads on a real cluster: ${missing}\n`);

describe('workloads on a real cluster', { skip: missing }, () => {
  let cluster: TestCluster;
  let stack: TestStack;
  let image: string;
  let api: ClusterApi;
  let runtime: WorkloadRuntime;
  let kept: Workload;
  const undo = new AsyncDisposableStack();

  const runtimeWith = (registry: RegistryAuth): WorkloadRuntime => {
    const { stackId } = stack;
    const namespace = { stackId, open: [], edge: null, registry: null };
    return createClusterRuntime({ api, stackId, registry, namespace, now: () => new Date() });
  };
  const start = (changes: Partial<WorkloadSpec> = {}): Promise<Workload> =>
    runtime.start(workloadSpec(image, changes), recordingContext());

  /** Every object of the stack in the cluster, as `kind namespace/name`. */
  const objects = async (): Promise<string[]> => {
    const kinds = (Object.keys(RESOURCES) as ResourceKind[]).filter((kind) => kind !== 'Event');
    const found = kinds.map(async (kind) => {
      const labelSelector = `${LABELS.stack}=${stack.stackId}`;
      const { items } = await api.list<{ metadata: { name: string; namespace?: string } }>({
        ...{ kind, namespace: null, labelSelector },
      });
      return items.map(({ metadata: { namespace, name } }) => `${kind} ${namespace ?? ''}/${name}`);
    });
    return (await Promise.all(found)).flat();
  };

  before(async () => {
    cluster = await useCluster();
    undo.defer(() => cluster.end());
    stack = await createTestStack();
    undo.defer(() => stack.dispose());
    api = createClusterApi(() => readKubeConfig(cluster.kubeconfig));
    image = await stack.pushed('suite', FILES);
    runtime = runtimeWith(stack.registry);
    undo.defer(async () => {
      for (const workload of await runtime.listAll()) await runtime.remove(workload, 0);
      await waitUntil('nothing of the stack is left', async () => (await objects()).length === 0);
    });
    // With it the namespace of most tests stays.
    kept = await start();
  });

  after(() => undo.disposeAsync());

  workloadRuntimeSuite(() => ({
    name: 'kubernetes',
    runtime,
    image,
    cpuMillis: async ({ address }) => Number(await (await fetch(`${address}/cpu`)).text()),
    stop: async (workload) => {
      const [namespace = '', name = ''] = workload.id.split('/');
      await api.merge({ kind: 'Deployment', namespace, name }, 'scale', { spec: { replicas: 0 } });
      await waitUntil('its pod is gone', async () => {
        const labelSelector = `${LABELS.build}=${workload.buildId}`;
        return (await api.list({ kind: 'Pod', namespace, labelSelector })).items.length === 0;
      });
    },
  }));

  it('the process has a numeric user, no capabilities, no new privileges, and writes to bounded folders alone', async () => {
    const workload = await start({ writablePaths: ['/app/data'] });
    await untilHealthy(runtime, workload);
    const facts = (await (await fetch(`${workload.address}/facts`)).json()) as {
      readonly uid: number;
      readonly status: string;
      readonly written: Readonly<Record<string, string>>;
      readonly overSize: Readonly<Record<string, string>>;
    };
    assert.equal(facts.uid, 1001);
    assert.match(facts.status, /^CapEff:\s+0+$/m);
    assert.match(facts.status, /^NoNewPrivs:\s+1$/m);
    for (const folder of ['/tmp', '/run', '/app/data']) {
      assert.deepEqual([facts.written[folder], facts.overSize[folder]], ['written', 'ENOSPC'], folder);
    }
    for (const folder of ['/app', '/home']) assert.equal(facts.written[folder], 'EROFS', folder);
    await runtime.remove(workload, 1);
  });

  it('a workload that writes more to the disk of its node than it may is not alive, and its tail says so', async () => {
    const write = 'dd if=/dev/zero of=/data/file bs=1M count=1200 && sleep 600';
    const Dockerfile = `FROM node:24-alpine\nRUN mkdir -m 777 /data\nUSER 1001\nCMD ["sh", "-c", "${write}"]\n`;
    const writing = await stack.pushed('writing', { Dockerfile });
    const workload = await start({ service: 'writing', image: writing, readOnlyRoot: false });
    // The node looks every ten seconds.
    await waitUntil(
      'what it wrote is told',
      async () => {
        const told = (await runtime.tail(workload, 50)).join('\n');
        return (
          /It wrote more than it may: .*1Gi.*Keep data in a database/.test(told) && !(await runtime.isAlive(workload))
        );
      },
      { withinMs: 120_000 },
    );
    await runtime.remove(workload, 0);
  });

  it('removing the last workload of a service leaves no object', async () => {
    const workload = await start({ service: 'leaving', dependencies: [{ service: 'suite', url: 'http://x' }] });
    assert.ok((await objects()).some((line) => line.startsWith('NetworkPolicy leaving-sandbox/build-')));
    await runtime.remove(workload, 0);
    await waitUntil('nothing is left', async () => !(await objects()).some((line) => line.includes('leaving')));
  });

  it('what somebody changed is put right at the next start, and what is theirs stays', async () => {
    const spec = workloadSpec(image);
    const workload = await runtime.start(spec, recordingContext());
    const [namespace = '', name = ''] = workload.id.split('/');
    const place = { kind: 'Service', namespace, name } as const;
    await api.merge(place, null, {
      metadata: { labels: { team: 'blue' } },
      spec: { selector: { [LABELS.build]: 'other' } },
    });
    await runtime.start(spec, recordingContext());
    const service = await api.get<{
      metadata: { labels: Readonly<Record<string, string>>; managedFields: { manager: string }[] };
      spec: { selector: object };
    }>(place);
    assert.deepEqual(service?.spec.selector, { [LABELS.stack]: stack.stackId, [LABELS.build]: spec.buildId });
    assert.equal(service?.metadata.labels.team, 'blue');
    assert.ok(service?.metadata.managedFields.some(({ manager }) => manager === FIELD_MANAGER));
    await runtime.remove(workload, 1);
  });

  it('a namespace that is somebody else’s is left alone', async () => {
    const metadata = { name: 'foreign-sandbox', labels: { team: 'blue' } };
    await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata });
    await assert.rejects(start({ service: 'foreign' }), {
      code: 'INSTALL_FAILED',
      message: /not of this installation/,
    });
    const namespace = await api.get<{ metadata: { labels: Record<string, string> } }>({
      ...{ kind: 'Namespace', namespace: null, name: 'foreign-sandbox' },
    });
    assert.equal(namespace?.metadata.labels[LABELS.stack], undefined);
    await api.remove({ kind: 'Namespace', namespace: null, name: 'foreign-sandbox' });
  });

  describe('failures are told by the cluster’s own objects', () => {
    const failing = (changes: Partial<WorkloadSpec>, message: RegExp) =>
      assert.rejects(start(changes), { code: 'INSTALL_FAILED', message });

    it('an image that no node can pull', async () => {
      // Of another registry: our own is asked before.
      const nowhere = `127.0.0.1:9/nothing@sha256:${'0'.repeat(64)}`;
      await failing({ image: nowhere }, /The node cannot pull the image: .*Let the nodes reach the registry/s);
    });

    it('a command that does not exist', async () => {
      const Dockerfile = 'FROM node:24-alpine\nUSER 1001\nENTRYPOINT ["/nothing"]\n';
      await failing(
        { image: await stack.pushed('nothing', { Dockerfile }) },
        /cannot be made: .*nothing.* no such file/,
      );
    });

    it('a deployment that somebody removes while it starts, which is tried again', async (t) => {
      // A registry that takes connections and never answers: a node keeps a pod until its image is pulled, or refused.
      const sockets = new Set<Socket>();
      const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
      t.after(() => {
        silent.close();
        for (const socket of sockets) socket.destroy();
      });
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const spec = workloadSpec(`127.0.0.1:${port}/slow@sha256:${'0'.repeat(64)}`);
      const starting = runtime.start(spec, recordingContext());
      const place = { kind: 'Deployment', namespace: 'suite-sandbox', name: workloadName(spec.buildId) } as const;
      await waitUntil('the deployment', async () => await api.get(place));
      await Promise.all([
        assert.rejects(starting, { code: 'UNAVAILABLE', retryable: true, message: /removed while it was started/ }),
        api.remove(place),
      ]);
      const [left] = (await runtime.listAll()).filter(({ buildId }) => buildId === spec.buildId);
      assert.equal(left, undefined);
    });

    it('a quota that is used up', async () => {
      const requests = { cpuMillis: 4_000, memoryBytes: 64 * 1024 ** 2 };
      await failing(
        { tier: POD_TIERS.xlarge, requests },
        /has no room for it: it asks for requests\.cpu=4, .* the bound is/,
      );
    });

    it('a pod that is refused', async () => {
      const tier = { ...POD_TIERS.xlarge, cpuLimitMillis: 5_000 };
      await failing({ tier }, /The cluster refuses the pod: .*maximum cpu usage per Pod is 4/);
    });
  });

  it('a route leads inside the cluster to what serves, and of two writers the newer one wins', async () => {
    const set: unknown[] = [];
    const edge = {
      urls: () => ['http://suite.sandbox.apps.example:8000'],
      route: async (...given: unknown[]) => void set.push(given),
      unroute: async () => undefined,
    } as unknown as EdgeRouter;
    const routes = createClusterRoutes({ api, stackId: stack.stackId, edge, ingressClass: 'nginx' });
    const target = { workloadId: kept.id, address: kept.address };
    await routes.route('suite', 'sandbox', target, 2_000);
    assert.equal(set.length, 1);
    const place = { kind: 'Service', namespace: 'suite-sandbox', name: NAMES.route } as const;
    const service = await api.get<{ spec: { clusterIP: string } }>(place);
    await untilHealthy(runtime, kept);
    const answer = await waitUntil('an answer', () =>
      fetch(`http://${service?.spec.clusterIP}/health`).then(
        (found) => found.json(),
        () => null,
      ),
    );
    assert.deepEqual(answer, { status: 'ok', commit: 'c0ffee' });
    assert.equal(innerUrl({ service: 'suite', environment: 'sandbox' }), 'http://app.suite-sandbox.svc');
    await assert.rejects(routes.route('suite', 'sandbox', target, 1_000), { code: 'CONFLICT' });
    await assert.rejects(routes.unroute('suite', 'sandbox', 1_000), { code: 'CONFLICT' });
    await routes.unroute('suite', 'sandbox', 2_000);
    assert.equal(await api.get(place), null);
    assert.equal(await api.get({ ...place, kind: 'Ingress' }), null);
  });

  it('a cluster that does not answer is UNAVAILABLE, and says where to look', async () => {
    const config = await readKubeConfig(cluster.kubeconfig);
    const [one] = config.clusters;
    config.loadFromClusterAndUser(
      { ...one, name: 'away', server: 'https://127.0.0.1:9', skipTLSVerify: false },
      { name: 'nobody', token: 'x' },
    );
    const away = createClusterApi(async () => config);
    const { stackId, registry } = stack;
    const namespace = { stackId, open: [], edge: null, registry: null };
    const lost = createClusterRuntime({ api: away, stackId, registry, namespace, now: () => new Date() });
    await assert.rejects(lost.listAll(), {
      code: 'UNAVAILABLE',
      retryable: true,
      message: /cannot be reached.*KUBECONFIG/,
    });
  });
});
