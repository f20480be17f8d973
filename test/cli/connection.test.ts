import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readCliEnv } from '../../adapters/env.ts';
import { type Connection, resolveConnection } from '../../cli/connection.ts';
import { type CredentialsFile, createCredentialsFile, type StoredLogin } from '../../cli/login/credentials-file.ts';

const FILE = {
  api: 'http://127.0.0.1:3002',
  key: 'from-file',
  edgePort: 8000,
  domain: 'localhost',
  services: { idp: 'http://localhost:3001', builder: 'http://127.0.0.1:3002', 'audit-ledger': 'http://localhost:3005' },
  temporalUi: null,
};
const fromFile = { kind: 'key', key: 'from-file', source: 'checkout' };
const fromEnv = { kind: 'key', key: 'from-env', source: 'environment' };
const LOGIN: StoredLogin = {
  issuer: 'https://id.example',
  accessToken: 'access',
  expiresAt: '2030-01-01T00:00:00.000Z',
  refreshToken: 'refresh',
  identityId: 'usr_1',
  email: 'ann@acme.example',
  loggedInAt: '2029-12-31T00:00:00.000Z',
};

describe('the connection', () => {
  let root: string;
  let logins: CredentialsFile;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fairlead-connection-'));
    logins = createCredentialsFile(join(root, 'config', 'credentials.json'));
    mkdirSync(join(root, '.fairlead'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const writeFile = (content: unknown, mode = 0o600): void => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(root, '.fairlead', 'connection.json'), text, { mode });
  };
  const resolve = (env: Record<string, string> = {}, apiUrl?: string): Connection =>
    resolveConnection(readCliEnv(env), apiUrl, root, logins);
  const ledger = (...args: Parameters<typeof resolve>) => resolve(...args).service('audit-ledger');

  it('comes from the file that a running stack left', () => {
    writeFile(FILE);
    const { service, installation, ...rest } = resolve();
    const known = { credential: fromFile, temporalUi: null, hasForeignLogin: false };
    assert.deepEqual(rest, { api: 'http://127.0.0.1:3002', ...known });
    assert.match(installation ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual(service('idp'), { url: 'http://localhost:3001', ofCheckout: true });
    assert.deepEqual(service('audit-ledger'), { url: 'http://localhost:3005', ofCheckout: true });
  });

  it('comes from the data folder that FAIRLEAD_DATA_DIR names, and from no other', () => {
    writeFile({ ...FILE, api: 'http://127.0.0.1:9999' });
    const dataDir = join(root, 'elsewhere');
    const env = { FAIRLEAD_DATA_DIR: dataDir };
    assert.throws(() => resolve(env), { message: /no .*elsewhere.connection\.json/ });
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'connection.json'), JSON.stringify(FILE), { mode: 0o600 });
    const { api, credential } = resolve(env);
    assert.deepEqual({ api, credential }, { api: 'http://127.0.0.1:3002', credential: fromFile });
  });

  it('comes from the environment before the file, and --api-url before both', () => {
    writeFile(FILE);
    const env = { FAIRLEAD_URL: 'https://builder.example/', FAIRLEAD_KEY: 'from-env' };
    const { service, ...rest } = resolve(env);
    const known = { credential: fromEnv, temporalUi: null, installation: null, hasForeignLogin: false };
    assert.deepEqual(rest, { api: 'https://builder.example', ...known });
    assert.equal(service('audit-ledger'), null);
    assert.equal(resolve(env, 'https://other.example').api, 'https://other.example');
  });

  it('leaves a login of another installation at the same address alone, and uses that of this one', async () => {
    writeFile(FILE);
    const { installation } = resolve();
    await logins.save(FILE.api, { ...LOGIN, installation });
    assert.equal(resolve().credential?.kind, 'login');
    writeFile({ ...FILE, key: 'of-a-fresh-stack' });
    const fresh = resolve();
    assert.deepEqual(fresh.credential, { kind: 'key', key: 'of-a-fresh-stack', source: 'checkout' });
    assert.ok(fresh.hasForeignLogin && fresh.installation !== installation);
    assert.equal(resolve({ FAIRLEAD_KEY: 'from-env' }).hasForeignLogin, false, 'the key was chosen');
    await logins.save(FILE.api, LOGIN);
    assert.equal(resolve().credential?.kind, 'login', 'one of an earlier version says nothing of where it was made');
  });

  it('never sends the key of the file to another address', () => {
    writeFile(FILE);
    assert.equal(resolve({ FAIRLEAD_URL: 'https://elsewhere.example' }).credential, null);
    assert.equal(resolve({}, 'https://elsewhere.example').credential, null);
    assert.deepEqual(resolve({ FAIRLEAD_URL: 'http://127.0.0.1:3002/' }).credential, fromFile);
  });

  it('knows the services of its own stack, or those that are named; of another API none', () => {
    writeFile(FILE);
    const named = { FAIRLEAD_AUDIT_URL: 'https://audit.example/' };
    assert.deepEqual(ledger(named), { url: 'https://audit.example', ofCheckout: false });
    assert.equal(resolve(named).service('idp')?.ofCheckout, true);
    assert.equal(ledger({ FAIRLEAD_AUDIT_URL: FILE.services['audit-ledger'] })?.ofCheckout, true);
    assert.equal(ledger({}, 'https://elsewhere.example'), null);
    assert.deepEqual(ledger(named, 'https://elsewhere.example'), { url: 'https://audit.example', ofCheckout: false });
    assert.deepEqual(resolve({ FAIRLEAD_IDP_URL: 'https://id.example' }).service('idp')?.url, 'https://id.example');
  });

  it('reads the file of an older version, which told the ledger by a key of its own', () => {
    const { services, ...older } = FILE;
    writeFile({ ...older, idp: services.idp, audit: 'http://localhost:3005' });
    assert.deepEqual(ledger(), { url: 'http://localhost:3005', ofCheckout: true });
    writeFile({ ...older, audit: null });
    assert.equal(ledger(), null);
    writeFile(older);
    assert.equal(ledger(), null);
  });

  it('shows a login to its own API alone: after FAIRLEAD_KEY, and before the key of this checkout', async () => {
    writeFile(FILE);
    await logins.save('http://127.0.0.1:3002', LOGIN);
    const ours = { kind: 'login', login: LOGIN } as const;
    assert.deepEqual(resolve().credential, ours);
    assert.deepEqual(resolve({ FAIRLEAD_URL: 'http://127.0.0.1:3002/' }).credential, ours);
    assert.deepEqual(resolve({ FAIRLEAD_KEY: 'from-env' }).credential, fromEnv);
    assert.equal(resolve({ FAIRLEAD_URL: 'https://elsewhere.example' }).credential, null);
  });

  it('is the API of the last login where nothing else names one', async () => {
    await logins.save('https://first.example', LOGIN);
    await logins.save('https://last.example', LOGIN);
    assert.equal(resolve().api, 'https://last.example');
    writeFile(FILE);
    assert.equal(resolve().api, 'http://127.0.0.1:3002');
  });

  it('is refused when others can read the file, with the remedy', () => {
    for (const mode of [0o640, 0o604]) {
      writeFile(FILE, mode);
      assert.throws(resolve, { code: 'CONNECTION_UNSAFE', exit: 'auth', remedy: /chmod 600/ });
      rmSync(join(root, '.fairlead', 'connection.json'));
    }
  });

  it('says what to start when nothing is there, and what is wrong with a broken file', () => {
    assert.throws(() => resolve(), { code: 'NO_CONNECTION', exit: 'unreachable', remedy: /npm start/ });
    for (const broken of ['{', { api: 'x' }, { api: FILE.api }]) {
      writeFile(broken);
      assert.throws(() => resolve(), { code: 'CONNECTION_INVALID', exit: 'unreachable' });
    }
  });
});
