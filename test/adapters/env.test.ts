import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditLedgerWorkerSection } from '../../adapters/env/audit-ledger.ts';
import { deploysSection, deploysWorkerSection } from '../../adapters/env/deploys.ts';
import {
  readEdgeEnv,
  readSecrets,
  readSection,
  readServiceEnv,
  readSubprocessEnv,
  readWorkerEnv,
} from '../../adapters/env.ts';
import { readTogether } from '../../adapters/read-variables.ts';
import { GENERATED_SECRETS, serviceRow } from '../../domain/services.ts';
import { envSections } from '../../infra/dev/platform-variables.ts';

const KEY = 'k'.repeat(32);
const KEYS = { INTERNAL_SERVICE_KEY: KEY };
const builder = (source: Record<string, string>) => readServiceEnv(serviceRow('builder'), source);
const ledger = (source: Record<string, string>) => readServiceEnv(serviceRow('audit-ledger'), { ...KEYS, ...source });

describe('the environment', () => {
  it('reports every bad variable at once: the platform’s, the service’s and the module’s', () => {
    const source = {
      ...{ PORT: 'eighty', LOG_LEVEL: 'loud', MONGODB_URI: 'http://x', INTERNAL_SERVICE_KEY: 'short' },
      ...{ IDP_URL: 'ftp://x', EDGE_PORT: '0' },
    };
    const read = () =>
      readTogether({ settings: () => builder(source), own: () => readSection(deploysSection, source) });
    assert.throws(read, (error: Error & { details?: { variable: string }[] }) => {
      const names = error.details?.map(({ variable }) => variable).toSorted();
      const bad = ['EDGE_PORT', 'IDP_URL', 'INTERNAL_SERVICE_KEY', 'LOG_LEVEL', 'MONGODB_URI', 'PORT'];
      assert.deepEqual(names, bad);
      return bad.every((name) => error.message.includes(name));
    });
  });

  it('does not repeat the value of a bad variable', () => {
    assert.throws(
      () => builder({ INTERNAL_SERVICE_KEY: 'hunter2' }),
      (error: Error) => !error.message.includes('hunter2'),
    );
  });

  it('gives the console no key of the platform, and needs none for it', () => {
    const { internalKey, providerKey, port } = readServiceEnv(serviceRow('console'), KEYS);
    assert.deepEqual([internalKey, providerKey, port], ['', '', 3000]);
    assert.doesNotThrow(() => readServiceEnv(serviceRow('console'), {}));
    assert.throws(() => ledger({ INTERNAL_SERVICE_KEY: '' }), /INTERNAL_SERVICE_KEY/);
  });

  it('takes the defaults of the specification, and an empty variable for one that is not set', () => {
    const env = builder({ ...KEYS, PORT: '', HOST: '' });
    assert.equal(env.port, 3002);
    assert.equal(env.host, '127.0.0.1');
    assert.equal(env.mongo?.uri, 'mongodb://localhost:27017/builder');
    const worker = readSection(deploysWorkerSection, {});
    assert.equal(worker.BUILD_CONCURRENCY, 3);
    assert.equal(worker.ENABLE_AUTO_DOCKERFILE, true);
    assert.equal(worker.WORKSPACE_DIR, '/tmp/iec-builds');
    assert.ok(worker.DATA_DIR.startsWith('/'), 'a folder is found from anywhere');
  });

  it('has the database of a service on the shared server under its own name, or where its own variable says', () => {
    const MONGODB_URI = 'mongodb://db.example/production';
    const own = 'mongodb://other.example/ledger';
    assert.deepEqual(ledger({ MONGODB_URI }).mongo, { uri: MONGODB_URI, database: 'audit' });
    assert.deepEqual(ledger({ MONGODB_URI, AUDIT_MONGODB_URI: own }).mongo, { uri: own, database: undefined });
    assert.deepEqual(builder({ ...KEYS, MONGODB_URI }).mongo, { uri: MONGODB_URI, database: undefined });
    const { databases } = readWorkerEnv({ MONGODB_URI, AUDIT_MONGODB_URI: own });
    assert.deepEqual(databases['audit-ledger'], { uri: own, database: undefined });
    assert.deepEqual(databases.idp, { uri: MONGODB_URI, database: 'identity' });
  });

  it('knows the other services by their variables, without a slash at the end', () => {
    const source = { IDP_URL: 'https://id.example/', AUDIT_URL: 'http://localhost:3005' };
    const urls = { idp: 'https://id.example', 'audit-ledger': 'http://localhost:3005' };
    assert.deepEqual(ledger(source).urls, urls);
    assert.deepEqual(readWorkerEnv(source).urls, urls);
    assert.deepEqual(readEdgeEnv(source).urls, urls);
    assert.deepEqual(readWorkerEnv({}).urls, {});
  });

  it('takes the installation’s key for the provider’s where that has none of its own', () => {
    assert.equal(ledger({}).providerKey, KEY);
    assert.equal(ledger({ IDP_INTERNAL_KEY: 'p'.repeat(32) }).providerKey, 'p'.repeat(32));
    assert.equal(readWorkerEnv(KEYS).providerKey, KEY);
  });

  it('reads which orgs may deploy, and refuses what is no slug of one', () => {
    const allowed = (list: string) =>
      readSection(deploysWorkerSection, { ALLOWED_DEPLOY_ORGS: list }).ALLOWED_DEPLOY_ORGS;
    assert.deepEqual(readSection(deploysWorkerSection, {}).ALLOWED_DEPLOY_ORGS, []);
    assert.deepEqual(allowed('acme, beta'), ['acme', 'beta']);
    assert.deepEqual(allowed('*'), ['*']);
    for (const wrong of ['Acme', 'acme beta', '**', 'a/b']) assert.throws(() => allowed(wrong), /ALLOWED_DEPLOY_ORGS/);
  });

  it('takes an address of a test runner, or what says that tests run in containers, and nothing else', () => {
    const read = (value: string) => readSection(deploysWorkerSection, { TEST_RUNNER_URL: value }).TEST_RUNNER_URL;
    assert.deepEqual(['', 'container:', 'https://tests.example/'].map(read), [
      undefined,
      'container:',
      'https://tests.example',
    ]);
    for (const value of ['container', 'docker:', 'tests.example', 'file:///x']) {
      assert.throws(() => read(value), /TEST_RUNNER_URL: an http or https address, or container:/, value);
    }
  });

  it('runs workloads in the container engine unless a cluster is asked for', () => {
    for (const section of [deploysSection, deploysWorkerSection]) {
      assert.equal(readSection(section, {}).ENABLE_K8S_DEPLOY, false);
      assert.equal(readSection(section, { ENABLE_K8S_DEPLOY: 'true' }).ENABLE_K8S_DEPLOY, true);
    }
  });

  it('reads the chains of the audit ledger, and repeats no address of a node when they are wrong', () => {
    const chains = (AUDIT_CHAINS: string) => readSection(auditLedgerWorkerSection, { AUDIT_CHAINS }).AUDIT_CHAINS;
    const rpcUrls = ['https://rpc.example/v3/canary', 'https://node.example/canary'];
    const described = { chainId: 1, contract: `0x${'c0'.repeat(20)}` };
    const chain = { ...described, rpcUrl: rpcUrls[0] };
    const read = { ...described, finality: 'finalized', confirmations: 3, explorerUrl: null };
    assert.deepEqual(chains(JSON.stringify([chain])), [{ ...read, rpcUrls: rpcUrls.slice(0, 1) }]);
    assert.deepEqual(chains(JSON.stringify([{ ...described, rpcUrls }])), [{ ...read, rpcUrls }]);
    assert.deepEqual(chains(''), []);
    const wrong = [
      '{canary',
      JSON.stringify({ canary: 1 }),
      JSON.stringify([chain, chain]),
      JSON.stringify([{ ...chain, contract: 'canary' }]),
      JSON.stringify([{ ...chain, rpcUrl: 'ftp://canary' }]),
      JSON.stringify([{ ...chain, rpcUrls }]),
      JSON.stringify([described]),
      JSON.stringify([{ ...chain, finality: 'canary' }]),
      JSON.stringify([{ ...chain, chainId: 0 }]),
      JSON.stringify([{ ...chain, confirmations: 0 }]),
      JSON.stringify([{ ...chain, key: 'canary' }]),
    ];
    for (const value of wrong) {
      assert.throws(
        () => chains(value),
        (error: Error) => error.message.includes('AUDIT_CHAINS') && !error.message.includes('canary'),
        value,
      );
    }
  });

  it('reads the retired keys of the audit ledger with their names and times', () => {
    const retired = (AUDIT_RETIRED_KEYS: string) =>
      readSection(auditLedgerWorkerSection, { AUDIT_RETIRED_KEYS }).AUDIT_RETIRED_KEYS;
    const publicKey = Buffer.alloc(32, 4).toString('base64');
    const until = '2026-11-20T00:00:00.000Z';
    assert.deepEqual(retired(JSON.stringify([{ publicKey, ledger: 'audit.before.example', until }, { publicKey }])), [
      { publicKey, ledger: 'audit.before.example', from: null, until: new Date(until) },
      { publicKey, ledger: null, from: null, until: null },
    ]);
    assert.deepEqual(retired(''), []);
    for (const wrong of ['{', '[{}]', '[{"publicKey":"c2hvcnQ="}]', JSON.stringify([{ publicKey, until: 'today' }])]) {
      assert.throws(() => retired(wrong), /AUDIT_RETIRED_KEYS/);
    }
  });

  it('hands subprocesses only what they need, and no credential', () => {
    const env = readSubprocessEnv({ PATH: '/bin', GIT_TOKEN: 'secret', AWS_SECRET_ACCESS_KEY: 'secret' });
    assert.deepEqual(env, { PATH: '/bin' });
  });

  it('reads one or more encryption keys in base64 or hex', () => {
    const hex = 'ab'.repeat(32);
    const base64 = Buffer.alloc(32, 1).toString('base64');
    const env = readSection(deploysSection, { CONFIG_ENCRYPTION_KEY: `${hex},${base64}` });
    assert.deepEqual(
      env.CONFIG_ENCRYPTION_KEY?.map((key) => key.length),
      [32, 32],
    );
    assert.throws(() => readSection(deploysSection, { CONFIG_ENCRYPTION_KEY: 'short' }), /CONFIG_ENCRYPTION_KEY/);
  });
});

describe('what no log may show', () => {
  it('is every variable that sounds like a secret, the line of the recovery key, and the addresses of the mail server, the databases and the dead man’s switch', async () => {
    const sections = Object.values(await envSections());
    const names = [...new Set(sections.flatMap((section) => Object.keys(section)))];
    const secret = names.filter((name) =>
      /(_KEY|_TOKEN|_SECRET|_PASSWORD)$|^SMTP_URL$|^MONGODB_URI$|^MONITOR_DEAD_MAN_URL$|^PLATFORM_RECOVERY$|_ADMIN_UR[IL]$/.test(
        name,
      ),
    );
    assert.ok(secret.length >= 9);
    const source = Object.fromEntries(names.map((name) => [name, `value-of-${name}`]));
    const ofServices = { IDP_MONGODB_URI: 'value-of-the-provider’s', AUDIT_MONGODB_URI: 'value-of-the-ledger’s' };
    const all = readSecrets(sections, { ...source, ...ofServices });
    assert.deepEqual(all.filter((value) => Object.values<unknown>(ofServices).includes(value)).length, 2);
    assert.deepEqual(readSecrets(sections, source).toSorted(), secret.map((name) => source[name]).toSorted());
  });

  it('is the password in an address, besides the address', () => {
    const uri = 'mongodb://fairlead:hunter2@127.0.0.1:27117/builder?authSource=admin';
    assert.deepEqual(readSecrets([], { IDP_MONGODB_URI: uri }), [uri, 'hunter2']);
    assert.deepEqual(readSecrets([], { IDP_MONGODB_URI: 'mongodb://h:1/x' }), ['mongodb://h:1/x']);
  });

  it('is every secret that an installation generates, whatever a process reads', () => {
    const source = Object.fromEntries(GENERATED_SECRETS.map(({ variable }) => [variable, `value-of-${variable}`]));
    assert.deepEqual(readSecrets([], source).toSorted(), Object.values(source).toSorted());
  });

  it('is each key of a list that rotates', () => {
    const [first, second] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const secrets = readSecrets([], { IDP_ENCRYPTION_KEY: `${first}, ${second}` });
    assert.ok(secrets.includes(first) && secrets.includes(second));
  });
});
