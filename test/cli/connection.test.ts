import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readCliEnv } from '../../adapters/env.ts';
import { type Connection, resolveConnection } from '../../cli/connection.ts';

const FILE = { api: 'http://127.0.0.1:3002', key: 'from-file', edgePort: 8000, domain: 'localhost', temporalUi: null };

describe('the connection', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fairlead-connection-'));
    mkdirSync(join(root, '.fairlead'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const writeFile = (content: unknown, mode = 0o600): void => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(root, '.fairlead', 'connection.json'), text, { mode });
  };
  const resolve = (env: Record<string, string> = {}, apiUrl?: string): Connection =>
    resolveConnection(readCliEnv(env), apiUrl, root);

  it('comes from the file that a running stack left', () => {
    writeFile(FILE);
    assert.deepEqual(resolve(), { api: 'http://127.0.0.1:3002', key: 'from-file', temporalUi: null });
  });

  it('comes from the environment before the file, and --api-url before both', () => {
    writeFile(FILE);
    const env = { FAIRLEAD_URL: 'https://builder.example/', FAIRLEAD_KEY: 'from-env' };
    assert.deepEqual(resolve(env), { api: 'https://builder.example', key: 'from-env', temporalUi: null });
    assert.equal(resolve(env, 'https://other.example').api, 'https://other.example');
  });

  it('never sends the key of the file to another address', () => {
    writeFile(FILE);
    assert.throws(() => resolve({ FAIRLEAD_URL: 'https://elsewhere.example' }), { code: 'NO_KEY', exit: 'auth' });
    assert.throws(() => resolve({}, 'https://elsewhere.example'), { code: 'NO_KEY', exit: 'auth' });
    assert.equal(resolve({ FAIRLEAD_URL: 'http://127.0.0.1:3002/' }).key, 'from-file');
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
