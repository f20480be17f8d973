import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { namespaceManifest } from '../../../adapters/kubernetes/namespace-manifests.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { runProcess } from '../../../adapters/process/run-process.ts';
import { IMAGE_PROCESSES } from '../../../infra/image/image-processes.ts';
import { INSTALLATION_SECRETS } from '../../../infra/image/installation-secrets.ts';
import { singleMachineSettings } from '../../../infra/image/single-machine.ts';
import { CHART_PROCESSES, chartProcesses } from '../../../infra/kubernetes/chart-processes.ts';
import { CHART, CHART_VALUES } from '../../support/chart-values.ts';
import { patience } from '../../support/patience.ts';
import { processVariables, readAsProcess } from '../../support/process-variables.ts';
import { toolPath } from '../../support/tool-path.ts';

const helm = await toolPath('helm').then(
  (path) => ({ path, missing: false as const }),
  (error: Error) => ({ path: '', missing: error.message.split('\n')[0] ?? 'it cannot be had' }),
);
if (helm.missing !== false) process.stderr.write(`NOT RUN: the chart as Helm renders it: ${helm.missing}\n`);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-chart-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const read = (...path: readonly string[]): string => readFileSync(join(CHART, ...path), 'utf8');

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef: { key: string; optional?: boolean } };
  }[];
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly securityContext: object;
  readonly startupProbe: object;
  readonly livenessProbe: { httpGet: { path: string; port: number } };
  readonly readinessProbe: { httpGet: { path: string; port: number } };
}

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly serviceAccountName: string;
        readonly automountServiceAccountToken: boolean;
        readonly affinity?: object;
        readonly securityContext: { runAsNonRoot: boolean; runAsUser: number };
      };
    };
    readonly podSelector: { matchLabels: Record<string, string> };
    readonly ports: readonly { port: number }[];
    readonly ingress?: unknown;
  };
  readonly rules: readonly { resources: string[]; verbs: string[] }[];
  readonly roleRef: { name: string };
}

const READS = ['get', 'list', 'watch'];

const expressions = z.array(z.looseObject({ name: z.string(), expression: z.string() }));
const policySchema = z.looseObject({
  failurePolicy: z.string(),
  matchConstraints: z.object({
    resourceRules: z.array(
      z.looseObject({
        apiGroups: z.array(z.string()),
        resources: z.array(z.string()),
        operations: z.array(z.string()),
      }),
    ),
  }),
  matchConditions: expressions,
  variables: expressions,
});
const bindingSchema = z.strictObject({ policyName: z.string(), validationActions: z.array(z.string()) });

/** @throws Error with what Helm says of values that it does not take */
async function render(values: object): Promise<readonly Rendered[]> {
  const file = join(folder, `values-${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(file, stringify(values));
  const args = ['template', 'fl', CHART, '--namespace', 'platform', '--values', file, '--kube-version', '1.34.0'];
  const result = await runProcess(helm.path, args, {
    env: baseEnv(process.env),
    signal: patience(),
    maxOutputBytes: 8 * 1024 ** 2,
  });
  if (result.exitCode !== 0) throw new Error(result.stderr);
  return parseAllDocuments(result.stdout).flatMap((document) => (document.toJS() as Rendered | null) ?? []);
}

describe('tables of the chart', () => {
  it('are those of the services and processes', () => {
    assert.equal(
      readFileSync(CHART_PROCESSES, 'utf8'),
      chartProcesses(),
      'run node infra/kubernetes/chart-processes.ts',
    );
  });

  it('the schema bounds the replicas of each process by what shares files', () => {
    const { properties } = z
      .looseObject({
        properties: z.looseObject({
          replicas: z.looseObject({ properties: z.record(z.string(), z.looseObject({ maximum: z.int() })) }),
        }),
      })
      .parse(JSON.parse(read('values.schema.json')));
    const most = Object.entries(properties.replicas.properties).map(([name, { maximum }]) => [name, maximum]);
    assert.deepEqual(
      Object.fromEntries(most),
      Object.fromEntries(IMAGE_PROCESSES.map((one) => [one.name, one.mostReplicas ?? 100])),
    );
    const { replicas } = parse(read('values.yaml')) as { replicas: Record<string, number> };
    assert.deepEqual(Object.keys(replicas).sort(), IMAGE_PROCESSES.map(({ name }) => name).sort());
  });

  it('give the worker no right over the whole of the cluster', () => {
    const rules = parse(read('files', 'deploys-role.yaml')) as {
      apiGroups: string[];
      resources: string[];
      verbs: string[];
    }[];
    assert.ok(rules.length > 5);
    for (const { apiGroups, resources, verbs } of rules)
      assert.ok(![...apiGroups, ...resources, ...verbs].includes('*'));
    const secrets = rules.find(({ resources }) => resources.includes('secrets'));
    assert.deepEqual(secrets?.verbs, ['create', 'patch', 'delete'], 'it lists no Secrets');
  });

  it('the version is that of the platform', () => {
    const { version, appVersion } = parse(read('Chart.yaml')) as { version: string; appVersion: string };
    const manifest = JSON.parse(readFileSync(join(CHART, '..', '..', '..', 'package.json'), 'utf8')) as {
      version: string;
    };
    assert.deepEqual([version, appVersion], [manifest.version, manifest.version]);
  });
});

const page = readFileSync(join(CHART, '..', '..', '..', 'docs', 'operate.md'), 'utf8');

describe('docs/operate.md', () => {
  it('makes the Secret by options that kubectl takes together', () => {
    const commands = page.match(/kubectl create secret (?:.*\\\n)*.*/g) ?? [];
    assert.ok(commands.length > 0);
    for (const command of commands) assert.doesNotMatch(command, /--from-env-file[\s\S]*--from-(?:file|literal)/);
  });

  it('has values that the chart takes, and lets the ingress controller in', { skip: helm.missing }, async () => {
    const [, block = ''] = /^ {3}```yaml\n([\s\S]*?)^ {3}```$/m.exec(page) ?? [];
    const values = parse(block.replace('sha256:…', `sha256:${'0'.repeat(64)}`)) as {
      urls: Record<string, string>;
      networkPolicy: { ingressNamespaces: readonly string[] };
    };
    const policies = (await render(values)).filter(({ kind }) => kind === 'NetworkPolicy');
    const [namespace = ''] = values.networkPolicy.ingressNamespaces;
    assert.notEqual(namespace, '');
    for (const name of Object.keys(values.urls)) {
      const policy = policies.find(({ metadata }) => metadata.name === `fl-${name}`);
      assert.ok(JSON.stringify(policy).includes(`"kubernetes.io/metadata.name":"${namespace}"`), name);
    }
  });
});

describe('the chart as Helm renders it', { skip: helm.missing }, () => {
  it('has a deployment of every process, by the rules for pods', async () => {
    const objects = await render(CHART_VALUES);
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    assert.deepEqual(
      deployments.map(({ metadata }) => metadata.name),
      IMAGE_PROCESSES.map(({ name }) => `fl-${name}`),
    );
    for (const process of IMAGE_PROCESSES) {
      const { spec } = deployments.find(({ metadata }) => metadata.name === `fl-${process.name}`) as Rendered;
      const pod = spec.template.spec;
      const [container] = pod.containers;
      assert.equal(container.image, 'registry.example.com/fairlead:0.4.0');
      assert.deepEqual(container.args, [process.name]);
      assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 1001]);
      assert.deepEqual(container.securityContext, {
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      });
      assert.equal(pod.automountServiceAccountToken, process.name === 'worker');
      assert.equal(pod.serviceAccountName, process.name === 'worker' ? 'fl-worker' : 'fl');
      const probed = [container.readinessProbe, container.livenessProbe].map(({ httpGet }) => httpGet);
      assert.deepEqual(probed, [
        { path: '/health', port: process.health.port },
        { path: '/health/live', port: process.health.port },
      ]);
      const shares = process.sharedFolders.length > 0;
      assert.equal(pod.affinity !== undefined, shares, `${process.name} shares files`);
      const keeps = shares || process.ownFolders.length > 0;
      assert.equal(
        container.volumeMounts.some(({ mountPath }) => mountPath === '/data'),
        keeps,
        process.name,
      );
      const isBounded = objects.some(
        ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === `fl-${process.name}`,
      );
      assert.equal(isBounded, spec.replicas > 1, process.name);
    }
  });

  it('gives each process variables that it reads, with which it would start', async () => {
    const objects = await render({
      ...CHART_VALUES,
      temporal: { ...CHART_VALUES.temporal, tlsSecret: 'temporal', serverName: 't' },
    });
    for (const process of IMAGE_PROCESSES) {
      const deployment = objects.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === `fl-${process.name}`,
      );
      const rows = deployment?.spec.template.spec.containers[0].env ?? [];
      const { all, secret } = await processVariables(process);
      assert.deepEqual(
        rows.map(({ name }) => name).filter((name) => !all.has(name)),
        [],
        process.name,
      );
      assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length, `${process.name}: one twice`);
      const fromSecret = rows.filter(({ valueFrom }) => valueFrom !== undefined).map(({ name }) => name);
      assert.deepEqual(
        fromSecret.filter(
          (name) => !secret.has(name) && name !== 'DOCKER_REGISTRY_USER' && !name.endsWith('ACCESS_KEY'),
        ),
        [],
      );
      assert.deepEqual(
        fromSecret.filter((name) => INSTALLATION_SECRETS.includes(name) && process.secrets.includes(name)).sort(),
        [...process.secrets].sort(),
      );
      const given = Object.fromEntries(rows.flatMap(({ name, value }) => (value ? [[name, value]] : [])));
      const withKeys = { DATA_DIR: '/data', MONGODB_URI: 'mongodb://u:p@mongo.example.com/builder', ...given };
      const { refused, warned } = singleMachineSettings(process, withKeys, () => false);
      assert.deepEqual([refused, warned], [[], []], process.name);
      const keys = Object.fromEntries(process.secrets.map((name) => [name, Buffer.alloc(32, 7).toString('base64')]));
      await readAsProcess(process, { ...keys, ...withKeys });
    }
  });

  it('takes nothing that works on one machine alone, nor more of a process than its files allow', async () => {
    const refusals: readonly (readonly [string, object, RegExp])[] = [
      ['two builders', { replicas: { builder: 2 } }, /builder/],
      ['two workers', { replicas: { worker: 2 } }, /worker/],
      ['a domain of this machine', { platformDomain: 'localhost' }, /platformDomain/],
      ['no public address of the provider', { urls: { idp: '' } }, /idp/],
      ['a misspelt value', { platformDomian: 'x' }, /platformDomian/],
      ['no name of the installation', { stackId: '' }, /stackId/],
    ];
    for (const [what, change, says] of refusals)
      await assert.rejects(render({ ...CHART_VALUES, ...change }), says, what);
  });

  it('binds the role only where deploys go to this cluster, and the right to nodes only where it is asked for', async () => {
    const roles = async (deploys: object) =>
      (await render({ ...CHART_VALUES, deploys })).filter(({ kind }) => kind.startsWith('ClusterRole'));
    assert.deepEqual(await roles({ enabled: false }), []);
    const [role, binding] = await roles({ enabled: true });
    assert.equal(
      role?.rules.some(({ resources }) => resources.includes('nodes/proxy')),
      false,
    );
    assert.equal(binding?.roleRef.name, role?.metadata.name);
    const [measuring] = await roles({ enabled: true, measure: true });
    assert.deepEqual(measuring?.rules.at(-1)?.verbs, ['get']);
  });

  it('bounds each right of the worker that changes or runs something by the labels of a namespace', async () => {
    const policies = async (deploys: object) =>
      (await render({ ...CHART_VALUES, deploys })).filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));
    assert.deepEqual(await policies({ enabled: false }), []);
    const [policy, binding] = await policies({ enabled: true });
    const { matchConstraints, matchConditions, failurePolicy, variables } = policySchema.parse(policy?.spec);
    const bounded = matchConstraints.resourceRules.flatMap(({ apiGroups, resources, operations }) => {
      assert.deepEqual(operations, ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
      return apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`));
    });
    const rules = parse(read('files', 'deploys-role.yaml')) as {
      apiGroups: string[];
      resources: string[];
      verbs: string[];
    }[];
    const held = rules
      .filter(({ resources, verbs }) => resources.includes('pods/exec') || verbs.some((verb) => !READS.includes(verb)))
      .flatMap(({ apiGroups, resources }) => apiGroups.flatMap((group) => resources.map((one) => `${group}/${one}`)));
    assert.ok(held.includes('/secrets') && held.includes('/pods/exec') && held.includes('apps/deployments'));
    assert.deepEqual(
      held.filter((one) => !bounded.includes(one)),
      [],
    );
    assert.deepEqual([failurePolicy, matchConditions.length], ['Fail', 1]);
    assert.match(matchConditions[0]?.expression ?? '', /== 'system:serviceaccount:platform:fl-worker'$/);
    const labels = variables.find(({ name }) => name === 'ours')?.expression ?? '';
    const made =
      namespaceManifest({ service: 'shop', environment: 'prod' }, CHART_VALUES.stackId).metadata?.labels ?? {};
    const wanted = [...labels.matchAll(/'([^']+)': '([^']+)'/g)].map(([, name = '', value]) => [name, value] as const);
    assert.equal(wanted.length, 2);
    for (const [name, value] of wanted) assert.equal(made[name], value, `namespaces of services have ${name}`);
    const spec = bindingSchema.parse(binding?.spec);
    assert.deepEqual(spec, { policyName: policy?.metadata.name, validationActions: ['Deny'] });
  });

  it('has no metrics unless they are asked for, then with a token, for pods of the namespaces that it names', async () => {
    const metrics = { enabled: true, namespaces: ['monitoring'], podMonitor: { enabled: true } };
    const off = await render(CHART_VALUES);
    assert.doesNotMatch(JSON.stringify(off), /METRICS|PodMonitor|fl-metrics/);
    const on = await render({ ...CHART_VALUES, metrics });
    for (const { name, metricsVariable } of IMAGE_PROCESSES) {
      const deployment = on.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `fl-${name}`);
      const rows = (deployment?.spec.template.spec.containers[0].env ?? []).filter((row) =>
        row.name.includes('METRICS'),
      );
      const token = { secretKeyRef: { name: 'fairlead', key: 'METRICS_TOKEN' } };
      const wanted = [
        { name: metricsVariable, value: '9400' },
        { name: 'METRICS_TOKEN', valueFrom: token },
      ];
      assert.deepEqual(rows, metricsVariable === null ? [] : wanted, name);
    }
    const policy = on.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'fl-metrics');
    assert.deepEqual(policy?.spec.ingress, [
      {
        ports: [{ protocol: 'TCP', port: 9_400 }],
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
      },
    ]);
    const [monitor] = on.filter(({ kind }) => kind === 'PodMonitor');
    assert.match(
      JSON.stringify(monitor),
      /"authorization":\{"type":"Bearer","credentials":\{"name":"fairlead","key":"METRICS_TOKEN"/,
    );
    await assert.rejects(render({ ...CHART_VALUES, metrics: { enabled: true } }), /namespaces/);
  });

  it('lets nothing in or out of a pod by default, and names who may come in', async () => {
    const policies = (await render(CHART_VALUES)).filter(({ kind }) => kind === 'NetworkPolicy');
    const names = policies.map(({ metadata }) => metadata.name);
    const served = IMAGE_PROCESSES.filter(({ ports }) => Object.keys(ports).length > 0).map(({ name }) => `fl-${name}`);
    assert.deepEqual(names.sort(), ['fl-nothing', 'fl-outside', 'fl-parts', ...served].sort());
    const nothing = policies.find(({ metadata }) => metadata.name === 'fl-nothing');
    assert.deepEqual(Object.keys(nothing?.spec ?? {}).sort(), ['podSelector', 'policyTypes']);
  });
});
