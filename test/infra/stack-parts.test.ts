import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PartContext } from '../../infra/dev/parts/embedded-part.ts';
import { PART_ROWS } from '../../infra/dev/parts.ts';
import { outsideRows, partVariables, shortAddress, waitingRows } from '../../infra/dev/stack-parts.ts';
import { fixedPorts } from '../../infra/dev/stack-ports.ts';
import { readSecrets } from '../../infra/dev/stack-secrets.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { forgetProduction } from '../../infra/dev/test-stack.ts';

let context: PartContext;
before(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-parts-'));
  const { secret } = await readSecrets(dataDir);
  context = { dataDir, ports: await fixedPorts({}, []), secret, env: process.env, report: silentReporter };
});
after(() => rm(context.dataDir, { recursive: true, force: true }));

/** Of those that every stack starts. */
const OUTSIDE: Readonly<Record<string, string>> = {
  MONGODB_URI: 'mongodb://user:hunter2@db.example.org/builder',
  TEMPORAL_ADDRESS: 'temporal.example.org:7233',
  DOCKER_REGISTRY: 'registry.example.org/team',
  AUDIT_CHAINS: '[{"rpcUrl":"https://node.example.org/hunter2"}]',
};
const REPLACED = PART_ROWS.filter(({ replacedBy }) => OUTSIDE[replacedBy]);

test('each program of a part is one that people see, under a name of its own, and listens on a port of its row', async () => {
  const names: string[] = [];
  for (const part of PART_ROWS) {
    // The programs are described, not run: their tools need not be had.
    const tool = { name: part.tools[0].name, path: '/no/such/program', version: '1', how: 'test' };
    const rows = waitingRows(part, context);
    // What brings programs for the worker runs none by itself.
    if (Object.keys(part.ports).length === 0) {
      assert.deepEqual(rows, {}, part.name);
      continue;
    }
    const children = await part.children(tool, context);
    assert.ok(children.length > 0, part.name);
    for (const { name, ready } of children) {
      assert.ok(rows[name], `${part.name} starts ${name}, which has no row`);
      assert.ok(ready.kind !== 'ipc', `${name} is not ours`);
      const port = ready.kind === 'tcp' ? ready.port : Number(new URL(ready.url).port);
      assert.ok(
        Object.keys(part.ports).some((one) => context.ports[one] === port),
        `${name} listens on ${port}`,
      );
    }
    for (const row of Object.values(rows)) assert.equal(row.dataFolder, join(context.dataDir, part.folder));
    names.push(...Object.keys(rows));
  }
  assert.equal(new Set(names).size, names.length);
});

test('processes get the address of every embedded part; the worker alone has that of the chains and the registry’s token', async () => {
  const { everyProcess, worker } = await partVariables(PART_ROWS, { ...context, env: {} });
  assert.equal(everyProcess.DOCKER_REGISTRY_TOKEN, undefined);
  assert.equal(worker.DOCKER_REGISTRY_TOKEN, context.secret('REGISTRY_TOKEN'));
  const { host, password, pathname } = new URL(everyProcess.MONGODB_URI ?? '');
  assert.deepEqual([host, password, pathname], ['127.0.0.1:27117', context.secret('MONGO_PASSWORD'), '/builder']);
  assert.equal(everyProcess.TEMPORAL_ADDRESS, '127.0.0.1:7233');
  assert.equal(everyProcess.DOCKER_REGISTRY, 'localhost:5050');
  assert.equal(everyProcess.AUDIT_CHAINS, undefined);
  const chains: { rpcUrl: string }[] = JSON.parse(worker.AUDIT_CHAINS ?? '');
  assert.deepEqual(
    chains.map(({ rpcUrl }) => rpcUrl),
    ['http://127.0.0.1:8545', 'http://127.0.0.1:8546'],
  );
});

test('processes get the address of production where it is set, and from the worker alone what it alone may hold', async () => {
  const { everyProcess, worker } = await partVariables(REPLACED, { ...context, env: OUTSIDE });
  assert.deepEqual({ ...everyProcess, ...worker }, OUTSIDE);
  assert.deepEqual(Object.keys(worker), ['AUDIT_CHAINS']);
});

test('people see where a production server is, and no credentials of it', () => {
  const rows = REPLACED.flatMap((part) => Object.entries(outsideRows(part, OUTSIDE[part.replacedBy] ?? '')));
  assert.deepEqual(
    rows.map(([name, { address }]) => [name, address]),
    [
      ['mongo', 'db.example.org'],
      ['temporal', 'temporal.example.org:7233'],
      ['image-registry', 'registry.example.org/team'],
    ],
  );
  assert.equal(
    shortAddress('https://user:hunter2@s3.example.org:9000/bucket?key=hunter2'),
    'https://s3.example.org:9000',
  );
});

test('tests forget every variable that names a production server, its credentials and keys', () => {
  const names = [
    ...['MONGODB_URI', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'DOCKER_REGISTRY', 'DOCKER_REGISTRY_USER'],
    ...['DOCKER_REGISTRY_TOKEN', 'INTERNAL_SERVICE_KEY', 'CONFIG_ENCRYPTION_KEY', 'WORKSPACE_DIR', 'PLATFORM_DOMAIN'],
    ...['IDP_URL', 'IDP_MONGODB_URI', 'IDP_ENCRYPTION_KEY', 'IDP_INTERNAL_KEY', 'SMTP_URL', 'BUILDER_URL'],
    ...['AUDIT_URL', 'AUDIT_MONGODB_URI', 'AUDIT_SIGNING_KEY', 'AUDIT_CHAINS', 'AUDIT_SIGNER_KEY'],
    ...['AUDIT_EMIT_RATE_LIMIT', 'MAIL_FROM', 'MIN_FREE_DISK_BYTES', 'PORT', 'FAIRLEAD_AUDIT_URL'],
    ...['AUDIT_MAX_FEE_GWEI', 'STACK_ID', 'GIT_TOKEN', 'GITHUB_TOKEN', 'FAIRLEAD_URL', 'FAIRLEAD_KEY'],
  ];
  const machine = {
    PATH: '/bin',
    HOME: '/root',
    DOCKER_HOST: 'unix:///run/docker.sock',
    LOG_LEVEL: 'debug',
    CI: 'true',
  };
  const env = { ...Object.fromEntries(names.map((name) => [name, 'production'])), ...machine };
  forgetProduction(env);
  assert.deepEqual(env, machine);
});
