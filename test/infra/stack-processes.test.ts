import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GENERATED_SECRETS } from '../../domain/services.ts';
import { PORTS, type Ports } from '../../infra/dev/stack-ports.ts';
import { platformProcesses } from '../../infra/dev/stack-processes.ts';
import { readSecrets } from '../../infra/dev/stack-secrets.ts';

const ports = Object.fromEntries(Object.entries(PORTS).map(([name, { usual }]) => [name, usual])) as Ports;

test('the router has no key of the platform in its environment, neither a generated one nor one of the operator', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-processes-'));
  try {
    const env = { PATH: '/usr/bin', CONFIG_ENCRYPTION_KEY: 'operators-own', AWS_SECRET_ACCESS_KEY: 'operators-other' };
    const secrets = await readSecrets(dataDir);
    const processes = await platformProcesses({
      ...{ dataDir, env, ports, secrets, bundle: '/bundle.js', variables: {}, partsOnNeed: [] },
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

test('each org may deploy on a stack of one machine, unless its operator names those that may', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-processes-'));
  try {
    const secrets = await readSecrets(dataDir);
    const allowed = async (env: Record<string, string>) => {
      const processes = await platformProcesses({
        ...{ dataDir, env, ports, secrets, bundle: '/bundle.js', variables: {}, partsOnNeed: [] },
        parts: { everyProcess: { TEMPORAL_ADDRESS: '127.0.0.1:1' }, worker: {} },
      });
      return processes.find(({ spec }) => spec.name === 'worker')?.spec.env?.ALLOWED_DEPLOY_ORGS;
    };
    assert.equal(await allowed({}), '*');
    assert.equal(await allowed({ ALLOWED_DEPLOY_ORGS: 'acme,beta' }), 'acme,beta');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
