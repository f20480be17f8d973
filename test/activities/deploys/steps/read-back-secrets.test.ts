import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBackSecrets } from '../../../../activities/deploys/steps/read-back-secrets.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { sealCredential } from '../../../../domain/oauth-clients/credential.ts';
import { releaseRecord } from '../../../ports/records.ts';
import { workloadSpec } from '../../../ports/workload-runtime.ts';
import { type Given, useDeploy } from '../use-deploy.ts';

const CANARY = 'canary-4711';
const IMAGE = 'registry.example/hello@sha256:1';

interface Stored {
  readonly secrets?: Readonly<Record<string, string>>;
  /** The client secret that the service has now. */
  readonly clientSecret?: string;
  readonly config?: Readonly<Record<string, string>>;
}

/** A release with these secrets, whose workload runs with these variables. */
async function useWorkload(stored: Stored, env: Readonly<Record<string, string>>, given: Given = {}) {
  const deploy = await useDeploy({ opened: true, ...given });
  const { parts, build } = deploy;
  const { service, environment, buildId } = build;
  const seal = (value: string, key: string) => parts.cipher.seal(value, { service, environment, key });
  const secrets = Object.fromEntries(
    Object.entries(stored.secrets ?? {}).map(([key, value]) => [key, seal(value, key)]),
  );
  const { config = {}, clientSecret } = stored;
  const oauthClient = clientSecret !== undefined;
  if (oauthClient) {
    const credential = sealCredential(parts.cipher, service, environment, { clientId: 'hello-prod', clientSecret });
    await parts.services.setOAuthCredential(build.serviceId, environment, credential);
  }
  await parts.releases.put(releaseRecord({ id: 'rel_1', service, environment, config, secrets, oauthClient }));
  parts.registry.put(IMAGE, () => ({ output: [], listener: null, ended: null }));
  const spec = workloadSpec(IMAGE, { service, environment, buildId, env });
  const workload = await parts.runtime.start(spec, deploy.attempt());
  return { ...deploy, workload, facts: { releaseId: 'rel_1', workloadId: workload.id } };
}

const ROWS: readonly [what: string, stored: Stored, env: Readonly<Record<string, string>>, line: RegExp][] = [
  ['no secrets', {}, { A: '1' }, /^There are no secrets to read back$/],
  ['plain variables, which are not its business', { config: { A: '1' } }, { A: '2' }, /no secrets/],
  ['secrets', { secrets: { B: CANARY, A: 'a=b\nc' } }, { A: 'a=b\nc', B: CANARY }, /^As stored: A, B$/],
  ['an empty secret', { secrets: { A: '' } }, { A: '' }, /^As stored: A$/],
  [
    'a client secret',
    { clientSecret: CANARY, secrets: { A: 'a' } },
    { A: 'a', IDP_CLIENT_SECRET: CANARY },
    /^As stored: A, IDP_CLIENT_SECRET$/,
  ],
  [
    'a secret whose name the platform gives another value',
    { secrets: { ENVIRONMENT: 'mine' } },
    { ENVIRONMENT: 'prod' },
    /^As stored: ENVIRONMENT$/,
  ],
];

const DIFFERING: readonly [what: string, stored: Stored, env: Readonly<Record<string, string>>, names: string[]][] = [
  ['another value', { secrets: { A: CANARY, B: 'b' } }, { A: `${CANARY}-old`, B: 'b' }, ['A']],
  ['no value', { secrets: { A: CANARY } }, {}, ['A']],
  ['a value cut short', { secrets: { A: CANARY } }, { A: CANARY.slice(0, -1) }, ['A']],
  ['the sealed form', { secrets: { A: CANARY } }, { A: 'c2VhbGVk' }, ['A']],
  [
    'the client secret before its rotation',
    { clientSecret: CANARY },
    { IDP_CLIENT_SECRET: 'old' },
    ['IDP_CLIENT_SECRET'],
  ],
  ['all of them differing', { secrets: { B: 'b', A: 'a' } }, { A: 'x', B: 'y' }, ['A', 'B']],
];

describe('secret-readback', () => {
  for (const [what, stored, env, line] of ROWS) {
    it(`of a workload with ${what} tells names alone, and twice the same`, async () => {
      const { parts, attempt, facts } = await useWorkload(stored, env);
      for (let again = 1; again <= 2; again += 1) {
        const step = attempt(facts);
        assert.deepEqual(await readBackSecrets(parts, step), {});
        assert.match(step.lines.join(), line);
        assert.deepEqual([step.warnings, step.lines.join().includes(CANARY)], [[], false]);
      }
    });
  }

  for (const [what, stored, env, names] of DIFFERING) {
    it(`ends a deploy whose workload has ${what}, and says which without a value`, async () => {
      const { parts, attempt, facts } = await useWorkload(stored, env);
      const step = attempt(facts);
      await assert.rejects(readBackSecrets(parts, step), (error: unknown) => {
        assert.ok(error instanceof FairleadError);
        assert.deepEqual([error.code, error.retryable, error.details], ['INSTALL_FAILED', false, { names }]);
        const told = [error.message, JSON.stringify(error.details), ...step.lines].join();
        for (const value of [...Object.values(env), CANARY].filter((text) => text.length > 3)) {
          assert.ok(!told.includes(value), 'no value is told');
        }
        return true;
      });
    });
  }

  it('names at most twenty, and how many more', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `K${String(index).padStart(2, '0')}`);
    const secrets = Object.fromEntries(names.map((name) => [name, 'v']));
    const { parts, attempt, facts } = await useWorkload({ secrets }, {});
    await assert.rejects(readBackSecrets(parts, attempt(facts)), { message: /K19 and 5 more\. / });
  });

  it('ends a deploy whose workload is gone, and tells of an engine that is away as it does', async () => {
    const { parts, attempt, facts, workload } = await useWorkload({ secrets: { A: 'a' } }, { A: 'a' });
    const away = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    const runtime = { ...parts.runtime, variables: () => Promise.reject(away) };
    await assert.rejects(readBackSecrets({ ...parts, runtime }, attempt(facts)), (error) => error === away);
    await parts.runtime.remove(workload, 0);
    await assert.rejects(readBackSecrets(parts, attempt(facts)), { code: 'INSTALL_FAILED', message: /is gone/ });
  });

  it('ends a deploy whose stored secret nobody can open any more', async () => {
    const { parts, attempt, facts } = await useWorkload({ secrets: { A: CANARY } }, { A: CANARY });
    const release = await parts.releases.find('rel_1');
    const moved = { ...release?.secrets.A, sealed: parts.cipher.seal(CANARY, { service: 'other', key: 'A' }).sealed };
    await parts.releases.put(
      releaseRecord({ id: 'rel_2', service: 'hello', secrets: { A: { keyId: '', ...moved } }, config: {} }),
    );
    await assert.rejects(readBackSecrets(parts, attempt({ ...facts, releaseId: 'rel_2' })));
  });
});
