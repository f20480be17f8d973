import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { preflightConfig } from '../../../../activities/deploys/steps/preflight-config.ts';
import type { Catalog, ConfigDeclaration } from '../../../../domain/catalog/catalog.ts';
import { catalogRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

const declare = (key: string, changes: Partial<ConfigDeclaration> = {}): ConfigDeclaration => {
  return { key, secret: false, required: true, default: null, ...changes };
};

describe('config-preflight', () => {
  it('passes when each required variable is set, sealed or has a default', async () => {
    const sealed = { keyId: '00000000', sealed: 'x' };
    const { parts, attempt } = await useDeploy({ service: { config: { PLAIN: '' }, secrets: { HIDDEN: sealed } } });
    const config = [
      ...[declare('PLAIN'), declare('HIDDEN', { secret: true }), declare('DEFAULTED', { default: '' })],
      declare('OPTIONAL', { required: false }),
    ];
    const step = attempt({ catalog: catalogRecord({ config }) });
    assert.deepEqual(await preflightConfig(parts, step), {});
    assert.deepEqual(step.warnings, []);
  });

  it('names every variable that has no value', async () => {
    const { parts, attempt } = await useDeploy({ service: { config: { SET: '1' } } });
    const catalog = catalogRecord({ config: [declare('SET'), declare('FIRST'), declare('SECOND', { secret: true })] });
    const failure = {
      code: 'CONFIG_PREFLIGHT_FAILED',
      message:
        /set FIRST, SECOND for hello.*\nTo set them: `fairlead config set FIRST=VALUE --secret SECOND --service hello`$/,
      details: { missing: ['FIRST', 'SECOND'] },
      retryable: false,
    };
    await assert.rejects(preflightConfig(parts, attempt({ catalog })), failure);
  });

  it('a second attempt sees what was set meanwhile', async () => {
    const { parts, attempt, build } = await useDeploy();
    const catalog = catalogRecord({ config: [declare('LATE')] });
    await assert.rejects(preflightConfig(parts, attempt({ catalog })), { code: 'CONFIG_PREFLIGHT_FAILED' });
    const key = { id: build.serviceId, name: build.service, org: 'acme' };
    await parts.services.upsert(key, { config: { LATE: 'now' } });
    assert.deepEqual(await preflightConfig(parts, attempt({ catalog })), {});
  });

  it('what is set for another environment alone is no value', async () => {
    const { parts, attempt, build } = await useDeploy();
    const step = attempt({ catalog: catalogRecord({ config: [declare('REGION')] }) });
    const set = (environment: 'prod' | 'uat') =>
      parts.services.changeVariables(build.serviceId, environment, {
        config: { REGION: 'eu' },
        secrets: {},
        marks: {},
      });
    assert.equal(build.environment, 'prod');
    await set('uat');
    await assert.rejects(preflightConfig(parts, step), { code: 'CONFIG_PREFLIGHT_FAILED' });
    await set('prod');
    assert.deepEqual(await preflightConfig(parts, step), {});
  });

  it('names that every object has are no values', async () => {
    const { parts, attempt } = await useDeploy();
    const catalog = catalogRecord({ config: [declare('constructor'), declare('toString')] });
    await assert.rejects(preflightConfig(parts, attempt({ catalog })), { code: 'CONFIG_PREFLIGHT_FAILED' });
  });

  it('a service that was deleted meanwhile is SERVICE_NOT_FOUND, and a missing catalog INTERNAL', async () => {
    const { parts, attempt, build } = await useDeploy();
    await assert.rejects(preflightConfig(parts, attempt({})), { code: 'INTERNAL' });
    await parts.services.remove(build.serviceId);
    await assert.rejects(preflightConfig(parts, attempt({ catalog: catalogRecord() })), { code: 'SERVICE_NOT_FOUND' });
  });

  it('the address of a database that the service is about to get needs no value, where there is a server of it', async () => {
    const { parts, attempt } = await useDeploy();
    const config = [{ key: 'DATABASE_URL', secret: true, required: true, default: null }];
    const declared = (databases: Catalog['databases']) => attempt({ catalog: catalogRecord({ config, databases }) });
    assert.deepEqual(await preflightConfig(parts, declared(['postgres'])), {});
    await assert.rejects(preflightConfig(parts, declared([])), { code: 'CONFIG_PREFLIGHT_FAILED' });
    const without = { ...parts, databases: null };
    await assert.rejects(preflightConfig(without, declared(['postgres'])), { code: 'CONFIG_PREFLIGHT_FAILED' });
  });
});
