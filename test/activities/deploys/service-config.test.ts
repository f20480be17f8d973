import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildEnvOf } from '../../../activities/deploys/build-env.ts';
import { buildRedactor } from '../../../activities/deploys/redaction.ts';
import { buildTimeVariables, variablesForRelease } from '../../../activities/deploys/service-config.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import type { ServiceStore } from '../../../domain/catalog/ports.ts';
import { variablesIn } from '../../../domain/config/service-variables.ts';
import type { Environment } from '../../../domain/environment.ts';
import { buildRequest, catalogRecord } from '../../ports/records.ts';
import { createInMemoryReleaseStore } from '../../support/in-memory/release-store.ts';
import { createInMemoryServiceStore } from '../../support/in-memory/service-store.ts';

const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
const seal = (key: string, value: string, environment?: Environment) =>
  cipher.seal(value, { service: 'shop', key, ...(environment === undefined ? {} : { environment }) });

/** A service with variables of all environments, and in `uat` some of its own. */
async function shop() {
  const services = createInMemoryServiceStore({ now: () => new Date(0) });
  const { service } = await services.upsert(
    { id: 'svc_shop', name: 'shop', org: 'acme' },
    {
      config: { PLAIN: 'all', TURNED: 'all' },
      secrets: { SECRET: seal('SECRET', 'all'), OPENED: seal('OPENED', 'all') },
    },
  );
  const changed = await services.changeVariables(service.id, 'uat', {
    config: { PLAIN: 'uat', OPENED: 'plain now' },
    secrets: { SECRET: seal('SECRET', 'uat', 'uat'), TURNED: seal('TURNED', 'secret now', 'uat') },
    marks: {},
  });
  assert.ok(changed !== null);
  return changed;
}

describe('the variables of a service in an environment', () => {
  it('change the id of what a build sees when a secret is set anew, whatever it is called', async () => {
    const services = createInMemoryServiceStore({ now: () => new Date(0) });
    const key = { id: 'svc_shop', name: 'shop', org: 'acme' };
    const build = buildRequest({ serviceId: 'svc_shop', service: 'shop' });
    const idOf = async (value: string) => {
      await services.upsert(key, { secrets: Object.fromEntries([['constructor', seal('constructor', value)]]) });
      return (await buildEnvOf({ services, cipher }, build, catalogRecord({ buildEnvVars: ['constructor'] })))?.id;
    };
    assert.notEqual(await idOf('first'), await idOf('second'));
  });

  it('are those of all environments, with what was set for it alone in their place, plain or secret', async () => {
    const service = await shop();
    const uat = variablesIn(service, 'uat');
    assert.deepEqual(uat.config, { PLAIN: 'uat', OPENED: 'plain now' });
    assert.deepEqual([Object.keys(uat.secrets), Object.keys(uat.ownSecrets)], [[], ['SECRET', 'TURNED']]);
    const prod = variablesIn(service, 'prod');
    assert.deepEqual(prod.config, { PLAIN: 'all', TURNED: 'all' });
    assert.deepEqual([Object.keys(prod.secrets), Object.keys(prod.ownSecrets)], [['SECRET', 'OPENED'], []]);
  });

  it('are what a release keeps, its secrets sealed for its environment alone', async () => {
    const service = await shop();
    for (const [environment, expected] of [
      ['uat', { SECRET: 'uat', TURNED: 'secret now' }],
      ['prod', { SECRET: 'all', OPENED: 'all' }],
    ] as const) {
      const { secrets } = variablesForRelease({ cipher }, { service: 'shop', environment }, service);
      const opened = Object.entries(secrets).map(([key, secret]) => {
        assert.throws(() => cipher.open(secret, { service: 'shop', key }));
        return [key, cipher.open(secret, { service: 'shop', environment, key })];
      });
      assert.deepEqual(Object.fromEntries(opened), expected);
    }
  });

  it('are what a build sees of the names that the catalog lists', async () => {
    const service = await shop();
    const catalog = catalogRecord({ buildEnvVars: ['PLAIN', 'SECRET', 'NOT_SET'] });
    assert.deepEqual(buildTimeVariables({ cipher }, service, { catalog, environment: 'uat' }), {
      PLAIN: 'uat',
      SECRET: 'uat',
    });
    assert.deepEqual(buildTimeVariables({ cipher }, service, { catalog, environment: 'prod' }), {
      PLAIN: 'all',
      SECRET: 'all',
    });
  });

  it('cannot be read without the key, and are no error where none is secret', async () => {
    const service = await shop();
    assert.throws(
      () => variablesForRelease({ cipher: null }, { service: 'shop', environment: 'prod' }, service),
      /CONFIG_ENCRYPTION_KEY/,
    );
    const plain = { ...service, secrets: {}, overrides: {} };
    const { config } = variablesForRelease({ cipher: null }, { service: 'shop', environment: 'prod' }, plain);
    assert.deepEqual(config, { PLAIN: 'all', TURNED: 'all' });
  });

  it('are all kept out of the log of a build, those of another environment as well', async () => {
    const service = await shop();
    const services = { find: async () => service } as unknown as ServiceStore;
    const redact = await buildRedactor(
      { services, releases: createInMemoryReleaseStore(), cipher, databases: null, settings: { platformSecrets: [] } },
      buildRequest({ serviceId: service.id }),
    );
    assert.equal(redact('it prints secret now and goes on'), 'it prints [REDACTED] and goes on');
  });
});
