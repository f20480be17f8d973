import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { SERVICE_ROWS } from '../../../domain/services.ts';
import { projectRoot } from '../../../infra/dev/project.ts';
import { IMAGE_PROCESSES } from '../../../infra/image/image-processes.ts';
import { INSTALLATION_SECRETS, installationSecrets } from '../../../infra/image/installation-secrets.ts';
import { singleMachineSettings } from '../../../infra/image/single-machine.ts';
import { processVariables, readAsProcess } from '../../support/process-variables.ts';

const FILE = join(projectRoot, 'infra', 'docker', 'compose.yaml');
const text = readFileSync(FILE, 'utf8');
const page = readFileSync(join(projectRoot, 'docs', 'operate.md'), 'utf8');

const service = z.strictObject({
  image: z.string(),
  network_mode: z.literal('host').optional(),
  init: z.boolean().optional(),
  restart: z.enum(['unless-stopped', 'no']),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  tmpfs: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
    .default({}),
  logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  group_add: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.literal(false) })).default([]),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  healthcheck: z
    .strictObject({
      ...{ test: z.array(z.string()), interval: z.string(), timeout: z.string(), retries: z.int() },
      ...{ start_period: z.string(), start_interval: z.string() },
    })
    .optional(),
});
type Service = z.infer<typeof service>;
const document = z
  .looseObject({
    name: z.literal('fairlead'),
    services: z.record(z.string(), service),
    volumes: z.record(z.string(), z.looseObject({}).nullable()),
  })
  .parse(parse(text, { merge: true }));
const services: Readonly<Record<string, Service>> = document.services;

/** As compose fills in, by the forms that the file uses. @throws for a variable that must be set and is not */
function filledIn(value: string, given: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{(\w+)(?::([-?+])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const found = given[name];
    if (kind === '+') return found ? rest : '';
    if (found) return found;
    if (kind === '-') return rest;
    throw new Error(`${name} is not set`);
  });
}

const variablesIn = (value: string): readonly string[] =>
  [...value.replaceAll('$$', '').matchAll(/\$\{(\w+)/g)].flatMap(([, name]) => name ?? []);

/** What `.env` has: the keys of an installation, and what its operator says. */
const OPERATORS = { FAIRLEAD_IMAGE: 'fairlead:0', PLATFORM_DOMAIN: 'apps.example.com', DOCKER_GID: '998' };
const dotEnv: Readonly<Record<string, string>> = {
  ...OPERATORS,
  ...Object.fromEntries(
    installationSecrets()
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ),
};

const environmentOf = ({ environment }: Service): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value, dotEnv)]));

describe('the compose file', () => {
  it('has every process of the platform from one image, and what it needs', () => {
    const processes = IMAGE_PROCESSES.map(({ name }) => name);
    const parts = ['mongo', 'temporal-db', 'temporal', 'object-store', 'object-store-link-user', 'image-registry'];
    assert.deepEqual(Object.keys(services).sort(), [...processes, ...parts].sort());
    for (const name of processes) {
      const { image, command, healthcheck } = services[name] ?? {};
      assert.equal(image?.split(':')[0], '${FAIRLEAD_IMAGE', name);
      assert.deepEqual(command, [name]);
      assert.deepEqual(healthcheck?.test, ['CMD', 'node', '/app/infra/image/start.ts', 'probe', name]);
    }
  });

  for (const process of IMAGE_PROCESSES) {
    it(`gives ${process.name} variables that it reads, and all of its keys`, async () => {
      const given = environmentOf(services[process.name] as Service);
      const { all, secret } = await processVariables(process);
      assert.deepEqual(
        Object.keys(given).filter((name) => !all.has(name)),
        [],
        'nothing reads it',
      );
      const keys = Object.keys(given).filter((name) => INSTALLATION_SECRETS.includes(name) && secret.has(name));
      const ofParts = ['DOCKER_REGISTRY_TOKEN', 'OBJECT_STORE_SECRET_KEY', 'OBJECT_STORE_LINK_SECRET_KEY'];
      assert.deepEqual(keys.filter((name) => !ofParts.includes(name)).sort(), [...process.secrets].sort());
      for (const row of SERVICE_ROWS) assert.ok(given[row.baseUrlVariable], row.baseUrlVariable);
      await readAsProcess(process, given);
      const { refused, warned } = singleMachineSettings(process, given, () => false);
      assert.deepEqual(refused, []);
      const about = warned.filter(
        (line) => !/names this machine's loopback|has to be on one machine|have to be on one/.test(line),
      );
      assert.deepEqual(about, [], 'on one server these are meant');
    });
  }

  it('has metrics off without a token, and with one on a port of the loopback for each process', async () => {
    const metered = IMAGE_PROCESSES.flatMap(({ name, metricsVariable }) =>
      metricsVariable === null ? [] : [{ name, variable: metricsVariable }],
    );
    const tokens = { ...dotEnv, METRICS_TOKEN: 'f'.repeat(64) };
    const given = (value = ''): string => filledIn(value, tokens);
    const ports = metered.map(({ name, variable }) => {
      const { environment } = services[name] as Service;
      assert.equal(environmentOf(services[name] as Service)[variable], '', name);
      assert.deepEqual(
        [environment.METRICS_HOST, given(environment.METRICS_TOKEN)],
        ['127.0.0.1', tokens.METRICS_TOKEN],
        name,
      );
      return Number(given(environment[variable]));
    });
    assert.ok(
      ports.every((port) => port > 9_000),
      `${ports}`,
    );
    assert.equal(new Set(ports).size, metered.length);
  });

  it('opens no port to others but the router’s', () => {
    const published = Object.entries(services).flatMap(([name, { ports }]) => ports.map((port) => `${name} ${port}`));
    assert.ok(published.length > 0);
    assert.deepEqual(
      published.filter((port) => !/ 127\.0\.0\.1:\d+:\d+$/.test(port)),
      [],
    );
    for (const { name } of IMAGE_PROCESSES) {
      const host = services[name]?.environment.HOST;
      // The worker listens nowhere: it has to know where the router does.
      assert.equal(host, ['edge', 'worker'].includes(name) ? '0.0.0.0' : '127.0.0.1', name);
      assert.match(services[name]?.environment.HEALTH_HOST ?? '127.0.0.1', /^127\.0\.0\.1$/, name);
    }
  });

  it('runs the platform without rights, on a file system that is read-only', () => {
    for (const { name, sharedFolders, ownFolders } of IMAGE_PROCESSES) {
      const { read_only, cap_drop, security_opt, tmpfs, volumes } = services[name] as Service;
      assert.deepEqual([read_only, cap_drop, security_opt], [true, ['ALL'], ['no-new-privileges:true']], name);
      assert.equal(tmpfs?.length, 1);
      const keeps = sharedFolders.length + ownFolders.length > 0;
      assert.equal(volumes.includes('data:/var/lib/fairlead'), keeps, name);
      const sockets = volumes.filter((volume) => volume.includes('docker.sock'));
      assert.equal(sockets.length, name === 'worker' ? 1 : 0, name);
    }
  });

  it('names volumes, files, parts and versions that there are', () => {
    const named = Object.values(services).flatMap(({ volumes }) => volumes.map((volume) => volume.split(':')[0] ?? ''));
    const ofVolumes = new Set(named.filter((name) => !/^[./]/.test(name)));
    assert.deepEqual([...ofVolumes].sort(), Object.keys(document.volumes).sort());
    for (const [name, { depends_on: needs, image, healthcheck, restart }] of Object.entries(services)) {
      for (const [part, { condition }] of Object.entries(needs)) {
        const isJob = services[part]?.restart === 'no';
        assert.equal(condition, isJob ? 'service_completed_successfully' : 'service_healthy', `${name}: ${part}`);
      }
      assert.ok(restart === 'no' || healthcheck !== undefined, name);
      assert.doesNotMatch(image, /:latest$|^[^:$]+$/, name);
    }
  });

  it('has its keys and settings out of reach of a commit', () => {
    const ignored = readFileSync(join(projectRoot, '.gitignore'), 'utf8').split('\n');
    // The asterisk stands for nothing as well: `.env`.
    assert.ok(ignored.includes('infra/docker/*.env'));
    const files = Object.values(services).flatMap(({ env_file }) => env_file.map(({ path }) => path));
    assert.deepEqual(
      files.filter((path) => !/^[^/]*\.env$/.test(path)),
      [],
    );
  });

  it('asks for no variable that neither `secrets` prints nor the page names, and has no secret written out', () => {
    const asked = new Set(Object.values(services).flatMap((one) => variablesIn(JSON.stringify(one))));
    const unknown = [...asked].filter((name) => !INSTALLATION_SECRETS.includes(name) && !page.includes(name));
    assert.deepEqual(unknown, []);
    assert.deepEqual(
      INSTALLATION_SECRETS.filter((name) => !asked.has(name)),
      [],
      'made for nothing',
    );
    for (const name of Object.keys(OPERATORS)) assert.throws(() => filledIn(`\${${name}:?}`, {}), new RegExp(name));
  });
});
