import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { registerNamespace } from '../../../../activities/deploys/steps/register-namespace.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { useDeploy } from '../use-deploy.ts';

const AWAY = new FairleadError('UNAVAILABLE', 'away', { system: 'registry', retryable: true });

describe('namespace', () => {
  it('registers the service and its namespace, and has it told once', async () => {
    const { parts, attempt } = await useDeploy({ opened: true, build: { environment: 'uat' } });
    for (const time of ['first', 'second']) {
      assert.deepEqual(await registerNamespace(parts, attempt()), {}, time);
      parts.advance(1_000);
    }
    const entry = await parts.serviceRegistry.stores.entries.find('svc_hello');
    assert.deepEqual([entry?.name, entry?.org, Object.keys(entry?.environments ?? {})], ['hello', 'acme', ['uat']]);
    assert.equal(entry?.environments.uat?.namespace, 'hello-uat');
    assert.deepEqual(
      parts.audit.told().map(({ eventType }) => eventType),
      ['namespace.created'],
    );
  });

  it('killed between its writes, it goes on where it stopped and tells it once', async () => {
    for (const write of ['declare', 'createNamespace'] as const) {
      const { parts, attempt } = await useDeploy({ opened: true });
      const serviceRegistry = { ...parts.serviceRegistry, [write]: () => Promise.reject(AWAY) };
      await assert.rejects(registerNamespace({ ...parts, serviceRegistry }, attempt()), (error) => error === AWAY);
      assert.deepEqual(parts.audit.told(), [], write);
      await registerNamespace(parts, attempt());
      assert.equal(parts.audit.told().length, 1, write);
    }
  });

  it('a service of that name that was registered before keeps what is its own', async () => {
    const { parts, attempt } = await useDeploy({ opened: true });
    const before = { id: 'svc_before', name: 'hello', org: 'rival', serviceSince: new Date(0) };
    await parts.serviceRegistry.declare(before);
    await parts.serviceRegistry.createNamespace('svc_before', 'prod');
    await registerNamespace(parts, attempt());
    const { entries } = parts.serviceRegistry.stores;
    assert.equal((await entries.findByName('hello'))?.id, 'svc_hello');
    assert.equal((await entries.find('svc_before'))?.org, 'rival');
  });
});
