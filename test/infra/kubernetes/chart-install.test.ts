import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { CoreV1Api, KubeConfig, KubernetesObjectApi } from '@kubernetes/client-node';
import { parseAllDocuments, stringify } from 'yaml';
import { type ClusterApi, createClusterApi } from '../../../adapters/kubernetes/cluster-api.ts';
import { namespaceManifest } from '../../../adapters/kubernetes/namespace-manifests.ts';
import { readKubeConfig } from '../../../adapters/kubernetes/workload-runtime.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { runProcess } from '../../../adapters/process/run-process.ts';
import { clusterTools } from '../../../infra/dev/cluster/bring-up.ts';
import { CLUSTER_NETWORK, clusterFolder, clusterPaths } from '../../../infra/dev/cluster/cluster-folder.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { IMAGE_PROCESSES } from '../../../infra/image/image-processes.ts';
import { installationSecrets } from '../../../infra/image/installation-secrets.ts';
import { CHART, CHART_VALUES } from '../../support/chart-values.ts';
import { buildTestImage, type TestImage } from '../../support/platform-image.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../../support/start-temporal.ts';
import { clusterMissing, type TestCluster, useCluster } from '../../support/test-cluster.ts';
import { toolPath } from '../../support/tool-path.ts';
import { waitUntil } from '../../support/wait-until.ts';

const missing =
  (await clusterMissing()) ||
  (process.env.FAIRLEAD_TEST_KUBECONFIG ? 'its image is brought to the node of this machine alone' : false) ||
  (await toolPath('helm').then(
    () => false as const,
    (error: Error) => `Helm cannot be had: ${error.message.split('\n')[0]}`,
  ));
if (missing !== false) process.stderr.write(`NOT RUN: the chart on a real cluster: ${missing}\n`);

const NAMESPACE = 'fairlead-platform';
const RUNNING = ['idp', 'builder', 'worker'] as const;
const COMMAND_MS = 480_000;

describe('the chart on a real cluster', { skip: missing, timeout: 840_000 }, () => {
  let cluster: TestCluster;
  let config: KubeConfig;
  let image: TestImage;
  let mongo: TestMongo;
  let temporal: TestTemporal;
  let folder: string;
  const undo = new AsyncDisposableStack();
  before(async () => {
    cluster = await useCluster();
    undo.defer(() => cluster.end());
    config = await readKubeConfig(cluster.kubeconfig);
    folder = await mkdtemp(join(tmpdir(), 'fairlead-chart-install-'));
    undo.defer(() => rm(folder, { recursive: true, force: true }));
    [mongo, temporal] = await Promise.all([startMongo(), startTemporal()]);
    undo.defer(() => mongo.stop());
    undo.defer(() => temporal.stop());
    image = await buildTestImage();
    undo.defer(() => image.remove());
    await bringToNode(image.tag);
  });
  after(() => undo.disposeAsync());

  async function run(command: string, ...args: readonly string[]): Promise<string> {
    const env = {
      ...baseEnv(process.env),
      KUBECONFIG: cluster.kubeconfig,
      HELM_CACHE_HOME: folder,
      HELM_CONFIG_HOME: folder,
    };
    const signal = AbortSignal.timeout(COMMAND_MS);
    const result = await runProcess(command, args, { env, signal, maxOutputBytes: 8 * 1024 ** 2 });
    assert.equal(result.exitCode, 0, `${command} ${args[0]}: ${result.stderr}`);
    return result.stdout;
  }

  /** There is no registry that has it: the engine's archive of it goes to the node's own store. */
  async function bringToNode(tag: string): Promise<void> {
    const { containerd } = await clusterTools({ env: process.env, report: silentReporter, obtain: false });
    const archive = join(folder, 'image.tar');
    await run('docker', 'save', '--output', archive, tag);
    const { socket } = clusterPaths(clusterFolder(process.env));
    await run(
      join(dirname(containerd), 'ctr'),
      '--address',
      socket,
      '--namespace',
      'k8s.io',
      'images',
      'import',
      archive,
    );
    await rm(archive);
  }

  /** Pods reach what listens on this machine's loopback by the node's own address, for as long as this runs. */
  async function forNode(address: string): Promise<string> {
    const [, host = '', port = ''] = /([\d.]+):(\d+)/.exec(address) ?? [];
    const server: Server = createServer((socket) => {
      const to = connect(Number(port), host);
      pipeline(socket, to, socket, () => undefined);
    });
    server.listen(0, CLUSTER_NETWORK.nodeAddress);
    await once(server, 'listening');
    undo.defer(() => void server.close());
    const bound = server.address();
    return address.replace(
      `${host}:${port}`,
      `${CLUSTER_NETWORK.nodeAddress}:${typeof bound === 'object' ? bound?.port : ''}`,
    );
  }

  const create = (object: object) =>
    KubernetesObjectApi.makeApiClient(config).create(object as Parameters<KubernetesObjectApi['create']>[0]);

  /** What an operator makes before: the namespace, keys, and a volume, which this cluster makes none of. */
  async function prepare(): Promise<void> {
    const metadata = { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    const keys = Object.fromEntries(
      installationSecrets()
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const stringData = { ...keys, MONGODB_URI: await forNode(mongo.uri) };
    await create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'fairlead', namespace: NAMESPACE },
      stringData,
    });
    const data = await mkdtemp(join(folder, 'data-'));
    await chown(data, 1001, 1001);
    await chmod(folder, 0o755);
    const storage = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
    const name = `fairlead-test-${randomBytes(4).toString('hex')}`;
    await create({
      ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } },
      spec: {
        ...storage,
        capacity: { storage: '1Gi' },
        hostPath: { path: data },
        persistentVolumeReclaimPolicy: 'Retain',
      },
    });
    undo.defer(() =>
      config
        .makeApiClient(CoreV1Api)
        .deletePersistentVolume({ name })
        .then(() => undefined),
    );
    await create({
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: NAMESPACE } },
      spec: { ...storage, volumeName: name, resources: { requests: { storage: '1Gi' } } },
    });
  }

  async function values(): Promise<string> {
    const replicas = Object.fromEntries(
      IMAGE_PROCESSES.map(({ name }) => [name, RUNNING.some((one) => one === name) ? 1 : 0]),
    );
    const [repository = '', tag = ''] = image.tag.split(':');
    const file = join(folder, 'values.yaml');
    const text = stringify({
      ...CHART_VALUES,
      ...{ image: { repository, tag, pullPolicy: 'Never' }, replicas, data: { existingClaim: 'data' } },
      temporal: { address: await forNode(temporal.address) },
      edge: { service: { type: 'ClusterIP' } },
    });
    await writeFile(file, text);
    return file;
  }

  it('is taken by the API server, object by object', async () => {
    await prepare();
    undo.defer(() =>
      config
        .makeApiClient(CoreV1Api)
        .deleteNamespace({ name: NAMESPACE })
        .then(() => undefined),
    );
    const helm = await toolPath('helm');
    const rendered = await run(
      helm,
      ...['template', 'fl', CHART, '--namespace', NAMESPACE],
      ...['--values', await values(), '--kube-version', '1.34.4'],
    );
    const objects = parseAllDocuments(rendered).flatMap((document) => (document.toJS() as object | null) ?? []);
    assert.ok(objects.length > 30, `${objects.length}`);
    const api = KubernetesObjectApi.makeApiClient(config);
    for (const object of objects) {
      const given = object as { kind: string; metadata: { name: string; namespace?: string } };
      if (!/^(ClusterRole|ValidatingAdmissionPolicy)/.test(given.kind)) given.metadata.namespace = NAMESPACE;
      await assert.doesNotReject(
        api.patch(
          given as Parameters<typeof api.patch>[0],
          undefined,
          'All',
          'fairlead-test',
          true,
          'application/apply-patch+yaml',
        ),
        `${given.kind} ${given.metadata.name}`,
      );
    }
  });

  it('installs provider, builder and worker, which get ready', async () => {
    const helm = await toolPath('helm');
    const file = join(folder, 'values.yaml');
    const args = ['install', 'fl', CHART, '--namespace', NAMESPACE, '--values', file, '--wait', '--timeout', '240s'];
    await run(helm, ...args).catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await whatPodsSay()}`);
    });
    undo.defer(async () => void (await run(helm, 'uninstall', 'fl', '--namespace', NAMESPACE, '--wait')));
    const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace: NAMESPACE });
    const ready = items.map(({ metadata, status }) => [
      ...[metadata?.labels?.['app.kubernetes.io/component'], status?.containerStatuses?.[0]?.ready],
    ]);
    assert.deepEqual(ready.sort(), RUNNING.map((name) => [name, true]).sort());
  });

  it('lets the worker change nothing beside namespaces of services', async () => {
    const api = await asWorker();
    const secret = { kind: 'Secret', namespace: NAMESPACE, name: 'fairlead' } as const;
    const refused = /changes namespaces of its own services alone/;
    await assert.rejects(api.get(secret), /forbidden/);
    // What answers a patch is the whole of a Secret.
    await assert.rejects(api.merge(secret, null, {}), refused);
    const deployment = { kind: 'Deployment', namespace: NAMESPACE, name: 'fl-builder' } as const;
    await assert.rejects(api.remove(deployment), refused);
    const shop = namespaceManifest({ service: 'chart', environment: 'prod' }, CHART_VALUES.stackId);
    const own = { kind: 'Namespace', namespace: null, name: shop.metadata?.name ?? '' } as const;
    const others = { ...own, name: NAMESPACE };
    await assert.rejects(api.merge(others, null, { metadata: { labels: shop.metadata?.labels } }), refused);
    await api.apply(shop);
    const privileged = { 'pod-security.kubernetes.io/enforce': 'privileged' };
    await assert.rejects(api.merge(own, null, { metadata: { labels: privileged } }), refused);
    await api.remove(own);
  });

  async function asWorker(): Promise<ClusterApi> {
    const { status } = await config.makeApiClient(CoreV1Api).createNamespacedServiceAccountToken({
      ...{ namespace: NAMESPACE, name: 'fl-worker' },
      body: { spec: { audiences: [], expirationSeconds: 600 } },
    });
    const cluster = config.getCurrentCluster();
    const token = status?.token;
    assert.ok(cluster !== null && token !== undefined);
    const worker = new KubeConfig();
    worker.loadFromClusterAndUser(cluster, { name: 'worker', token });
    return createClusterApi(async () => worker);
  }

  it('ends a pod in order, and the next one takes its place', async () => {
    const api = config.makeApiClient(CoreV1Api);
    const labelSelector = 'app.kubernetes.io/component=builder';
    const [first] = (await api.listNamespacedPod({ namespace: NAMESPACE, labelSelector })).items;
    const name = first?.metadata?.name ?? '';
    await api.deleteNamespacedPod({ namespace: NAMESPACE, name });
    await waitUntil('another builder is ready', async () => {
      const { items } = await api.listNamespacedPod({ namespace: NAMESPACE, labelSelector });
      return items.some(
        ({ metadata, status }) => metadata?.name !== name && status?.containerStatuses?.[0]?.ready === true,
      );
    });
  });

  async function whatPodsSay(): Promise<string> {
    const api = config.makeApiClient(CoreV1Api);
    const { items } = await api.listNamespacedPod({ namespace: NAMESPACE });
    const said = items.map(async ({ metadata, status }) => {
      const log = await api
        .readNamespacedPodLog({ namespace: NAMESPACE, name: metadata?.name ?? '', tailLines: 20 })
        .catch((error: Error) => error.message.slice(0, 200));
      return `${metadata?.name}: ${JSON.stringify(status?.containerStatuses?.[0]?.state ?? status?.conditions)}\n${log}`;
    });
    return (await Promise.all(said)).join('\n');
  }
});
