import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBuilderEnv, readWorkerEnv } from '../../adapters/env.ts';

const KEY = 'k'.repeat(32);

describe('the environment', () => {
  it('reports every bad variable at once', () => {
    const source = { PORT: 'eighty', LOG_LEVEL: 'loud', MONGODB_URI: 'http://x', INTERNAL_SERVICE_KEY: 'short' };
    assert.throws(
      () => readBuilderEnv(source),
      (error: Error & { details?: { variable: string }[] }) => {
        const names = error.details?.map(({ variable }) => variable).toSorted();
        assert.deepEqual(names, ['INTERNAL_SERVICE_KEY', 'LOG_LEVEL', 'MONGODB_URI', 'PORT']);
        return error.message.includes('PORT') && error.message.includes('INTERNAL_SERVICE_KEY');
      },
    );
  });

  it('does not repeat the value of a bad variable', () => {
    assert.throws(
      () => readBuilderEnv({ INTERNAL_SERVICE_KEY: 'hunter2' }),
      (error: Error) => !error.message.includes('hunter2'),
    );
  });

  it('takes the defaults of the specification, and an empty variable for one that is not set', () => {
    const env = readBuilderEnv({ INTERNAL_SERVICE_KEY: KEY, PORT: '', HOST: '' });
    assert.equal(env.PORT, 3002);
    assert.equal(env.MONGODB_URI, 'mongodb://localhost:27017/builder');
    const worker = readWorkerEnv({});
    assert.equal(worker.BUILD_CONCURRENCY, 3);
    assert.equal(worker.ENABLE_AUTO_DOCKERFILE, true);
  });

  it('refuses to run Docker where Kubernetes was asked for', () => {
    assert.throws(() => readWorkerEnv({ ENABLE_K8S_DEPLOY: 'true' }), /ENABLE_K8S_DEPLOY/);
  });

  it('reads the chains of the audit ledger, and repeats no address of a node when they are wrong', () => {
    const chain = { chainId: 1, rpcUrl: 'https://rpc.example/v3/canary', contract: `0x${'c0'.repeat(20)}` };
    const { AUDIT_CHAINS } = readWorkerEnv({ AUDIT_CHAINS: JSON.stringify([chain]) });
    assert.deepEqual(AUDIT_CHAINS, [{ ...chain, confirmations: 3, explorerUrl: null }]);
    assert.deepEqual(readWorkerEnv({}).AUDIT_CHAINS, []);
    const wrong = [
      '{canary',
      JSON.stringify({ canary: 1 }),
      JSON.stringify([chain, chain]),
      JSON.stringify([{ ...chain, contract: 'canary' }]),
      JSON.stringify([{ ...chain, rpcUrl: 'ftp://canary' }]),
      JSON.stringify([{ ...chain, chainId: 0 }]),
      JSON.stringify([{ ...chain, confirmations: 0 }]),
      JSON.stringify([{ ...chain, key: 'canary' }]),
    ];
    for (const value of wrong) {
      assert.throws(
        () => readWorkerEnv({ AUDIT_CHAINS: value }),
        (error: Error) => error.message.includes('AUDIT_CHAINS') && !error.message.includes('canary'),
        value,
      );
    }
  });

  it('hands subprocesses only what they need, and no credential', () => {
    const { subprocessEnv } = readWorkerEnv({ PATH: '/bin', GIT_TOKEN: 'secret', AWS_SECRET_ACCESS_KEY: 'secret' });
    assert.deepEqual(subprocessEnv, { PATH: '/bin' });
  });

  it('reads one or more encryption keys in base64 or hex', () => {
    const hex = 'ab'.repeat(32);
    const base64 = Buffer.alloc(32, 1).toString('base64');
    const env = readBuilderEnv({ INTERNAL_SERVICE_KEY: KEY, CONFIG_ENCRYPTION_KEY: `${hex},${base64}` });
    assert.deepEqual(
      env.CONFIG_ENCRYPTION_KEY?.map((key) => key.length),
      [32, 32],
    );
    assert.throws(
      () => readBuilderEnv({ INTERNAL_SERVICE_KEY: KEY, CONFIG_ENCRYPTION_KEY: 'short' }),
      /CONFIG_ENCRYPTION_KEY/,
    );
  });
});
