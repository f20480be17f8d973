import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageFacts } from '../../../adapters/kubernetes/image-facts.ts';
import { routeManifests, variablesIn, workloadManifests } from '../../../adapters/kubernetes/workload-manifests.ts';
import { POD_TIERS, type PodTierName } from '../../../domain/catalog/pod-tiers.ts';
import type { WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import { workloadSpec } from '../../ports/workload-runtime.ts';
import { byKind } from './manifests-by-kind.ts';

const IMAGE = `localhost:5050/shop@sha256:${'a'.repeat(64)}`;
const NOTHING_KNOWN: ImageFacts = { user: null, group: null, volumes: [], folder: '' };

function objects(changes: Partial<WorkloadSpec> = {}, facts: { image?: ImageFacts; login?: boolean } = {}) {
  const spec = workloadSpec(IMAGE, {
    buildId: 'bld_1',
    releaseId: 'rel_1',
    service: 'shop',
    environment: 'uat',
    ...changes,
  });
  const { image = NOTHING_KNOWN, login = false } = facts;
  const startedAt = new Date('2026-01-01T00:00:00Z');
  const made = workloadManifests(spec, { stackId: 'test', image, startedAt, hasRegistryLogin: login });
  return byKind(made);
}
function podOf(...given: Parameters<typeof objects>) {
  const pod = objects(...given).Deployment?.spec?.template.spec;
  assert.ok(pod);
  return pod;
}
function containerOf(...given: Parameters<typeof objects>) {
  const [container] = podOf(...given).containers;
  assert.ok(container);
  return container;
}

describe('pods of a tier (spec 2, "Pod tiers")', () => {
  const rows: readonly (readonly [PodTierName, string, string, string, string])[] = [
    ['nano', '250m', '256Mi', '25m', '128Mi'],
    ['small', '500m', '512Mi', '50m', '256Mi'],
    ['medium', '1000m', '1Gi', '100m', '512Mi'],
    ['large', '2000m', '2Gi', '200m', '1Gi'],
    ['xlarge', '4000m', '4Gi', '400m', '2Gi'],
  ];
  for (const [tier, cpu, memory, cpuRequest, memoryRequest] of rows) {
    it(`${tier} has its limits and its requests`, () => {
      const limits = { cpu, memory, 'ephemeral-storage': '1Gi' };
      const requests = { cpu: cpuRequest, memory: memoryRequest, 'ephemeral-storage': '64Mi' };
      assert.deepEqual(containerOf({ tier: POD_TIERS[tier] }).resources, { limits, requests });
    });
  }

  it('requests of the catalog take the place of those of the tier', () => {
    const requests = { cpuMillis: 10, memoryBytes: 64 * 1024 ** 2 };
    const { resources } = containerOf({ tier: POD_TIERS.large, requests });
    assert.deepEqual(resources?.requests, { cpu: '10m', memory: '64Mi', 'ephemeral-storage': '64Mi' });
    assert.deepEqual(resources?.limits, { cpu: '2000m', memory: '2Gi', 'ephemeral-storage': '1Gi' });
  });
});

describe('variables of a pod', () => {
  const env = { REGISTRY_URL: 'http://registry', NODE_ENV: 'production', GIT_COMMIT: 'c0ffee', SECRET: 'canary' };

  it('have their values in the Secret alone, and are what they were given as', () => {
    const { Secret, Deployment } = objects({ env });
    assert.doesNotMatch(JSON.stringify(Deployment), /canary|c0ffee/);
    const named = Deployment?.spec?.template?.spec?.containers?.[0]?.env as unknown as Parameters<
      typeof variablesIn
    >[0];
    assert.deepEqual(variablesIn(named, Secret?.data as unknown as Record<string, string>), env);
  });

  it('are of the Secret of their own build', () => {
    const { Secret, Deployment } = objects({ env, buildId: 'bld_2' });
    assert.equal(Secret?.metadata?.name, 'build-2');
    for (const each of Deployment?.spec?.template?.spec?.containers?.[0]?.env ?? []) {
      assert.equal(each.valueFrom?.secretKeyRef?.name, 'build-2');
    }
  });
});

describe('what a pod may do', () => {
  it('has a numeric user other than root, no capabilities, no more privileges, and no account of the cluster', () => {
    const pod = podOf();
    assert.equal(pod.automountServiceAccountToken, false);
    assert.deepEqual(pod.securityContext?.seccompProfile, { type: 'RuntimeDefault' });
    assert.deepEqual([pod.securityContext?.runAsNonRoot, pod.securityContext?.runAsUser], [true, 1001]);
    assert.deepEqual(pod.containers?.[0]?.securityContext, {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    });
  });

  it('keeps the user and the group of its image', () => {
    const pod = podOf({}, { image: { user: 101, group: 7, volumes: [], folder: '/app' } });
    assert.deepEqual([pod.securityContext?.runAsUser, pod.securityContext?.runAsGroup], [101, 7]);
  });

  it('writes to folders of memory alone, of a bounded size: the usual ones, those of VOLUMEs and of the catalog', () => {
    const image = { ...NOTHING_KNOWN, volumes: ['/volume'], folder: '/app' };
    const pod = podOf({ tier: POD_TIERS.nano, writablePaths: ['data', '/tmp'] }, { image });
    const mounted = pod.containers?.[0]?.volumeMounts?.map(({ mountPath }) => mountPath);
    assert.deepEqual(mounted, ['/tmp', '/var/tmp', '/run', '/var/cache/nginx', '/volume', '/app/data']);
    for (const { emptyDir } of pod.volumes ?? []) assert.deepEqual(emptyDir, { medium: 'Memory', sizeLimit: '64Mi' });
  });

  it('a root that is written to needs no folders', () => {
    const container = containerOf({ readOnlyRoot: false });
    assert.equal(container.securityContext?.readOnlyRootFilesystem, false);
    assert.equal(container.volumeMounts, undefined);
  });

  it('pulls with the login of the namespace where the registry asks for one', () => {
    assert.deepEqual(podOf({}, { login: true }).imagePullSecrets, [{ name: 'fairlead-registry' }]);
    assert.equal(podOf().imagePullSecrets, undefined);
  });
});

describe('how a pod comes and goes', () => {
  it('takes the place of another only once it is ready', () => {
    const { strategy, replicas } = objects().Deployment?.spec ?? {};
    assert.deepEqual(strategy, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    assert.equal(replicas, 1);
  });

  it('takes requests for a moment after it is told to go, and has time to end them', () => {
    const { lifecycle } = containerOf();
    assert.deepEqual(lifecycle, { preStop: { sleep: { seconds: 5 } } });
    assert.equal(podOf().terminationGracePeriodSeconds, 30);
  });

  it('is ready by the endpoint that its author declared, else by taking connections; and alive by these', () => {
    const declared = containerOf({ healthEndpoint: '/up', healthRule: 'declared' });
    assert.deepEqual(declared.readinessProbe?.httpGet, { path: '/up', port: 3000 });
    const found = containerOf({ healthEndpoint: '/health', healthRule: 'alive' });
    assert.deepEqual(found.readinessProbe?.tcpSocket, { port: 3000 });
    for (const { livenessProbe } of [declared, found]) assert.deepEqual(livenessProbe?.tcpSocket, { port: 3000 });
  });
});

describe('objects of a workload', () => {
  it('are in the namespace of service and environment, and say what they belong to', () => {
    const { Secret, Deployment, Service } = objects();
    for (const each of [Secret, Deployment, Service]) {
      const { metadata } = each ?? {};
      assert.equal(metadata?.namespace, 'shop-uat', each?.kind);
      assert.deepEqual(metadata?.labels, {
        'app.kubernetes.io/managed-by': 'fairlead',
        'app.kubernetes.io/name': 'shop',
        'fairlead.io/stack': 'test',
        'fairlead.io/service': 'shop',
        'fairlead.io/environment': 'uat',
        'fairlead.io/build': 'bld_1',
        'fairlead.io/release': 'rel_1',
      });
    }
  });

  it('let it reach its dependencies in its environment and the servers of its databases, by their label and address', () => {
    const dependencies = [{ service: 'mailer', url: 'http://app.mailer-uat.svc' }];
    const databases = [
      { engine: 'postgres', host: '10.1.2.3', port: 5432 },
      { engine: 'mongodb', host: 'db.example', port: 27017 },
    ] as const;
    const { NetworkPolicy, Deployment } = objects({ dependencies, databases });
    const matchLabels = {
      'fairlead.io/stack': 'test',
      'fairlead.io/service': 'mailer',
      'fairlead.io/environment': 'uat',
    };
    assert.deepEqual(NetworkPolicy?.spec?.policyTypes, ['Egress']);
    assert.deepEqual(NetworkPolicy?.spec?.egress, [
      { to: [{ namespaceSelector: { matchLabels } }] },
      { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ protocol: 'TCP', port: 5432 }] },
    ]);
    assert.equal(Deployment?.spec?.template?.metadata?.labels?.['calls.fairlead.io/mailer'], 'true');
    assert.equal(objects().NetworkPolicy, undefined);
  });
});

describe('the route of a service', () => {
  const facts = { stackId: 'test', buildId: 'bld_1', workloadId: 'shop-uat/build-1', port: 3000, epoch: 1000 };
  const target = { service: 'shop', environment: 'uat' } as const;

  it('leads to one build, and is no Ingress where the cluster has no class for it', () => {
    const { Service, ...others } = byKind(routeManifests(target, { ...facts, ingress: null }));
    assert.deepEqual(others, {});
    assert.deepEqual(Service?.spec?.selector, { 'fairlead.io/stack': 'test', 'fairlead.io/build': 'bld_1' });
    assert.deepEqual(Service?.spec?.ports, [{ name: 'http', port: 80, targetPort: 3000 }]);
    assert.equal(Service?.metadata?.annotations?.['fairlead.io/epoch'], '1000');
  });

  it('is an Ingress of that class for each of its names otherwise', () => {
    const ingress = { className: 'nginx', hosts: ['shop.uat.apps.example', 'shop.apps.example'] };
    const { Ingress } = byKind(routeManifests(target, { ...facts, ingress }));
    assert.equal(Ingress?.spec?.ingressClassName, 'nginx');
    assert.deepEqual(
      Ingress?.spec?.rules?.map(({ host }) => host),
      ingress.hosts,
    );
  });
});
