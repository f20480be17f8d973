import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { auditNamespace } from '../../../activities/deploys/audit-namespace.ts';
import { createOutboxRecorder, type OutboxRecorder } from '../../../adapters/audit-ledger/outbox-recorder.ts';
import { createServiceStore } from '../../../adapters/mongo/catalog/services.ts';
import type { ServiceStore } from '../../../domain/catalog/ports.ts';
import type { Environment } from '../../../domain/environment.ts';
import { buildRequest } from '../../ports/records.ts';
import { KEY, startLedger, type TestLedger } from '../../support/start-ledger.ts';

/** With the real ledger, outbox and store. */
describe('namespace.created', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-namespace-'));
  let ledger: TestLedger;
  let services: ServiceStore;
  let audit: OutboxRecorder;
  const warnings: unknown[] = [];
  before(async () => {
    ledger = await startLedger();
    services = createServiceStore({ db: ledger.db, now: () => new Date() });
  });
  beforeEach(() => {
    audit = createOutboxRecorder({
      auditUrl: ledger.address,
      internalKey: KEY,
      namespace: 'builder',
      folder,
      log: { warn: (...args: unknown[]) => void warnings.push(args) },
    });
  });
  afterEach(() => audit.close());
  after(async () => {
    await ledger.stop();
    rmSync(folder, { recursive: true });
  });

  let counter = 0;
  async function newService(name: string): Promise<(environment: Environment) => ReturnType<typeof buildRequest>> {
    counter += 1;
    const serviceId = `svc_${counter}`;
    await services.upsert({ id: serviceId, name, org: 'acme' }, {});
    // Each build has an id of its own, and may be asked for by somebody else.
    return (environment) => buildRequest({ serviceId, service: name, environment, requestedBy: `usr_${counter}` });
  }
  async function recorded(entityId: string) {
    await audit.close();
    const { body } = await ledger.call('platform', 'GET', `/v1/events?namespace=builder&entityId=${entityId}`);
    return body.data.events.toReversed().map(({ eventType, orgSlug, data }: Record<string, unknown>) => {
      return { eventType, orgSlug, data };
    });
  }
  const createdIn = (service: string, environment: string) => ({
    eventType: 'namespace.created',
    orgSlug: 'acme',
    data: { namespace: `${service}-${environment}`, service, environment },
  });

  it('comes once for each environment, however many builds there are at once and later', async () => {
    const build = await newService('shop');
    await Promise.all(Array.from({ length: 10 }, () => auditNamespace({ services, audit }, build('prod'))));
    await auditNamespace({ services, audit }, build('uat'));
    await auditNamespace({ services, audit }, build('prod'));
    assert.deepEqual(await recorded('shop'), [createdIn('shop', 'prod'), createdIn('shop', 'uat')]);
    assert.deepEqual(warnings, []);
  });

  it('comes once when the worker dies after it was told and before that was noted', async () => {
    const build = await newService('crash');
    const dying = { ...services, addNamespace: () => Promise.reject(new Error('killed')) };
    await assert.rejects(auditNamespace({ services: dying, audit }, build('prod')), /killed/);
    await auditNamespace({ services, audit }, build('prod'));
    assert.deepEqual(await recorded('crash'), [createdIn('crash', 'prod')]);
    assert.deepEqual(warnings, []);
  });

  it('comes again for a service that was deleted and made anew', async () => {
    const first = await newService('phoenix');
    await auditNamespace({ services, audit }, first('prod'));
    await services.remove(`svc_${counter}`);
    const second = await newService('phoenix');
    await auditNamespace({ services, audit }, second('prod'));
    assert.equal((await recorded('phoenix')).length, 2);
  });

  it('is noted where there is no ledger', async () => {
    const build = await newService('quiet');
    await auditNamespace({ services, audit: null }, build('prod'));
    assert.deepEqual(Object.keys((await services.find('quiet'))?.namespaces ?? {}), ['prod']);
  });
});
