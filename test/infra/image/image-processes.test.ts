import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkSources } from '../../../domain/deploys/container-file/check-sources.ts';
import { checkUser } from '../../../domain/deploys/container-file/check-user.ts';
import { patchContainerFile } from '../../../domain/deploys/container-file/patch-container-file.ts';
import { GENERATED_SECRETS, SERVICE_NAMES } from '../../../domain/services.ts';
import { projectRoot } from '../../../infra/dev/project.ts';
import { IMAGE_PROCESSES, imageProcess } from '../../../infra/image/image-processes.ts';
import { INSTALLATION_SECRETS, installationSecrets } from '../../../infra/image/installation-secrets.ts';
import { singleMachineSettings } from '../../../infra/image/single-machine.ts';
import { processVariables } from '../../support/process-variables.ts';

const inVolume = (): boolean => false;
/** Of an installation whose parts are elsewhere. */
const PLACES = {
  ...{ MONGODB_URI: 'mongodb://u:p@mongo.example/builder', TEMPORAL_ADDRESS: 'temporal.example:7233' },
  ...{
    IDP_URL: 'https://id.example.com',
    DOCKER_REGISTRY: 'registry.example.com',
    PLATFORM_DOMAIN: 'apps.example.com',
  },
  ...{ DATA_DIR: '/data', STACK_ID: 'prod1' },
};

describe('processes of the image', () => {
  it('are the services of the table, the worker and the router, each with a program that is there', () => {
    const names = IMAGE_PROCESSES.map(({ name }) => name);
    assert.deepEqual(names, [...SERVICE_NAMES, 'worker', 'edge']);
    for (const { program } of IMAGE_PROCESSES) assert.ok(existsSync(join(projectRoot, program.script)), program.script);
    assert.throws(() => imageProcess('identity'), /no process is called identity; there is idp, builder, /);
  });

  it('have ports of their own', () => {
    const ports = IMAGE_PROCESSES.flatMap(({ health, ports }) => [...new Set([health.port, ...Object.values(ports)])]);
    assert.equal(new Set(ports).size, ports.length, ports.join());
  });

  for (const process of IMAGE_PROCESSES) {
    it(`${process.name} is given the generated keys that it reads, and no other`, async () => {
      const { all, secret } = await processVariables(process);
      const generated = GENERATED_SECRETS.map(({ variable }) => variable).filter((variable) => secret.has(variable));
      assert.deepEqual([...process.secrets].sort(), generated.sort());
      assert.ok(all.has(process.health.variable), process.health.variable);
      for (const variable of Object.keys(process.ports)) assert.ok(all.has(variable), variable);
      const reads = process.sharedFolders.length + process.ownFolders.length > 0;
      assert.equal(all.has('DATA_DIR'), reads, 'what lies below DATA_DIR has a row in FILES');
    });
  }
});

describe('the container file of the platform', () => {
  const fileName = 'infra/image/Dockerfile';
  const text = readFileSync(join(projectRoot, fileName), 'utf8');

  it('passes the rules for those of services', () => {
    const policy = {
      fileName,
      cacheScope: 'x',
      registry: 'registry.example.com',
      repository: 'registry.example.com/x',
    };
    assert.deepEqual(checkSources(text, policy).changes, []);
    assert.equal(checkUser(text, { framework: null, fileName }), '1001');
    assert.deepEqual(patchContainerFile(text, { secretsEnabled: false, fileName }).changes, []);
  });

  it('begins with the version of Node that the platform runs on', () => {
    const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
    assert.equal(/NODE_IMAGE=node:([\d.]+)-/.exec(text)?.[1], dependencies.node);
  });
});

describe('settings of one machine', () => {
  it('are none where all parts are elsewhere', () => {
    for (const process of IMAGE_PROCESSES)
      assert.deepEqual(singleMachineSettings(process, PLACES, inVolume), { refused: [], warned: [] }, process.name);
  });

  it('that a container cannot have are refused by name', () => {
    const refusedOf = (name: string, changes: Record<string, string>) =>
      singleMachineSettings(imageProcess(name), { ...PLACES, ...changes }, inVolume).refused.map(
        (line) => line.split(' ')[0],
      );
    assert.deepEqual(refusedOf('builder', { MONGODB_URI: '', TEMPORAL_ADDRESS: '', IDP_URL: '' }), [
      ...['MONGODB_URI', 'TEMPORAL_ADDRESS', 'IDP_URL'],
    ]);
    assert.deepEqual(refusedOf('wallet', { MONGODB_URI: '', WALLET_MONGODB_URI: 'mongodb://w.example/w' }), []);
    assert.deepEqual(refusedOf('console', { MONGODB_URI: '', TEMPORAL_ADDRESS: '' }), []);
    assert.deepEqual(refusedOf('edge', { DOCKER_REGISTRY: '', IDP_URL: '' }), ['DOCKER_REGISTRY']);
    assert.deepEqual(
      refusedOf('worker', { PARTS_ON_NEED: 'redis', REGISTRY_DELETIONS: '/x', TEST_RUNNER_URL: 'container:' }),
      [...['PARTS_ON_NEED', 'REGISTRY_DELETIONS', 'TEST_RUNNER_URL=container:']],
    );
  });

  it('that go on one machine alone are warned of, without their values', () => {
    const { warned } = singleMachineSettings(
      imageProcess('worker'),
      {
        ...PLACES,
        ...{
          MONGODB_URI: 'mongodb://u:hunter2@127.0.0.1:27017/builder',
          DOCKER_REGISTRY: 'localhost:5050',
          STACK_ID: '',
        },
        ...{
          PLATFORM_DOMAIN: '',
          BASE_IMAGE_STAND_INS: 'true',
          LOCAL_SOURCES_ROOT: '/home',
          PLATFORM_SOCKET: '/data/door/http.sock',
        },
      },
      () => true,
    );
    assert.deepEqual(
      warned.map((line) => line.split(' ')[0]),
      [
        ...['PLATFORM_SOCKET', 'MONGODB_URI', 'DOCKER_REGISTRY', 'PLATFORM_DOMAIN', 'STACK_ID', 'BASE_IMAGE_STAND_INS'],
        ...['LOCAL_SOURCES_ROOT', '/data'],
      ],
    );
    assert.ok(!warned.join().includes('hunter2'));
  });
});

it('the keys of an installation are new each time, and are all there are', () => {
  const read = () =>
    new Map(
      installationSecrets()
        .trim()
        .split('\n')
        .map((line) => [line.split('=', 1)[0], line]),
    );
  const [first, second] = [read(), read()];
  assert.deepEqual([...first.keys()].sort(), [...INSTALLATION_SECRETS].sort());
  for (const [name, line] of first) assert.notEqual(line, second.get(name));
});
