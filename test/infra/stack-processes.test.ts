import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { afterInstallSection } from '../../adapters/env/deploys.ts';
import { injectedAddresses, serviceUrls } from '../../domain/service-addresses.ts';
import { GENERATED_SECRETS, SERVICE_NAMES } from '../../domain/services.ts';
import { PORTS, type Ports } from '../../infra/dev/stack-ports.ts';
import { platformProcesses } from '../../infra/dev/stack-processes.ts';
import { readSecrets } from '../../infra/dev/stack-secrets.ts';
import { composeServicesTold } from '../../workers/services-told.ts';

const ports = Object.fromEntries(Object.entries(PORTS).map(([name, { usual }]) => [name, usual])) as Ports;

test('the router has no key of the platform in its environment, neither a generated one nor one of the operator', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-processes-'));
  try {
    const env = { PATH: '/usr/bin', CONFIG_ENCRYPTION_KEY: 'operators-own', AWS_SECRET_ACCESS_KEY: 'operators-other' };
    const secrets = await readSecrets(dataDir);
    const processes = await platformProcesses({
      ...{ dataDir, env, ports, secrets, bundle: '/bundle.js', variables: {}, partsOnNeed: [], apart: [] },
      parts: { everyProcess: { TEMPORAL_ADDRESS: '127.0.0.1:1' }, worker: {} },
    });
    const router = processes.find(({ spec }) => spec.name === 'edge')?.spec;
    assert.equal(router?.environment, 'own', 'it inherits nothing');
    const values = Object.values(router.env ?? {});
    const generated = GENERATED_SECRETS.map(({ variable }) => secrets.secret(variable));
    const secretsOfAll = [...generated, 'operators-own', 'operators-other'];
    assert.deepEqual(
      secretsOfAll.filter((secret) => values.some((value) => value.includes(secret))),
      [],
    );
    assert.equal(router.env?.EDGE_PORT, String(ports.edge));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** What the worker of a stack is given, with these variables of its operator. */
async function workerVariables(env: Record<string, string>): Promise<Readonly<Record<string, string | undefined>>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-processes-'));
  try {
    const processes = await platformProcesses({
      ...{ dataDir, env, ports, secrets: await readSecrets(dataDir), bundle: '/bundle.js', variables: {} },
      ...{ partsOnNeed: [], apart: [], parts: { everyProcess: { TEMPORAL_ADDRESS: '127.0.0.1:1' }, worker: {} } },
    });
    return processes.find(({ spec }) => spec.name === 'worker')?.spec.env ?? {};
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

test('each org may deploy on a stack of one machine, unless its operator names those that may', async () => {
  assert.equal((await workerVariables({})).ALLOWED_DEPLOY_ORGS, '*');
  const named = await workerVariables({ ALLOWED_DEPLOY_ORGS: 'acme,beta' });
  assert.equal(named.ALLOWED_DEPLOY_ORGS, 'acme,beta');
});

test('each process is told where every service is: the console has pages of each of them', async () => {
  const known = serviceUrls(await workerVariables({}));
  // The builder takes the address that each request arrived on.
  const others = SERVICE_NAMES.filter((name) => name !== 'builder');
  assert.deepEqual(
    Object.entries(known),
    others.map((name) => [name, `http://localhost:${ports[name]}`]),
  );
});

test('deploys tell the site registry of npm start nothing, whose address workloads are given, unless its operator says so', async () => {
  const told = async (env: Record<string, string>) => {
    const variables = { ...env, ...(await workerVariables(env)) };
    const read = z.object(afterInstallSection).parse(variables);
    assert.equal(injectedAddresses(serviceUrls(variables), {}).SITE_REGISTRY_URL, read.SITE_REGISTRY_URL);
    const settings = { urls: serviceUrls(variables), internalKey: 'key' };
    const { siteRegistry } = composeServicesTold({ env: read, settings } as Parameters<typeof composeServicesTold>[0]);
    return [read.SITE_REGISTRY_URL, siteRegistry !== null];
  };
  assert.deepEqual(await told({}), [`http://localhost:${ports['site-registry']}`, false]);
  const SITE_REGISTRY_URL = 'https://sites.example.com';
  assert.deepEqual(await told({ SITE_REGISTRY_URL }), [SITE_REGISTRY_URL, false]);
  const SITE_REGISTRY_HOOKS = 'true';
  assert.deepEqual(await told({ SITE_REGISTRY_URL, SITE_REGISTRY_HOOKS }), [SITE_REGISTRY_URL, true]);
});

test('services that run apart have a process each, with no secret of the worker, and the process of all others has none of them', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-processes-'));
  try {
    const secrets = await readSecrets(dataDir);
    const processes = await platformProcesses({
      ...{ dataDir, env: {}, ports, secrets, bundle: '/bundle.js', variables: {}, partsOnNeed: [] },
      ...{ apart: ['registry', 'locker'], parts: { everyProcess: {}, worker: { HELD_BY_WORKER: 'secret' } } },
    });
    const only = processes.map(({ spec: { name, args } }) => [
      name,
      args.slice(args.indexOf('--only')).slice(1).join(),
    ]);
    const others = 'idp,builder,wallet,audit-ledger,site-registry,monitor,console';
    const names = only.map(([name, services]) => [name, name === 'worker' || name === 'edge' ? '' : services]);
    assert.deepEqual(names, [
      ['worker', ''],
      ['registry', 'registry'],
      ['locker', 'locker'],
      ['api', others],
      ['edge', ''],
    ]);
    const held = processes.filter(({ spec }) => spec.env?.HELD_BY_WORKER === 'secret').map(({ spec }) => spec.name);
    assert.deepEqual(held, ['worker']);
    assert.equal(processes[1]?.row.address, `http://localhost:${ports.registry}`);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
