import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import {
  type CredentialsFile,
  createCredentialsFile,
  credentialsPath,
  type StoredLogin,
} from '../../../cli/login/credentials-file.ts';

const API = 'https://builder.example';
const LOGIN: StoredLogin = {
  issuer: 'https://id.example',
  accessToken: 'access-1',
  expiresAt: '2030-01-01T00:00:00.000Z',
  refreshToken: 'refresh-1',
  identityId: 'usr_1',
  email: null,
  loggedInAt: '2029-12-31T00:00:00.000Z',
};

let folder: string;
let file: CredentialsFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-credentials-'));
  file = createCredentialsFile(join(folder, 'fairlead', 'credentials.json'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('keeps logins by the address of the API, for its owner’s eyes only', async () => {
  await file.save(API, LOGIN);
  await file.save('https://other.example', { ...LOGIN, accessToken: 'access-2' });
  assert.equal(file.find(API)?.accessToken, 'access-1');
  assert.equal(file.find(`${API}.evil.example`), null);
  assert.equal(file.find('__proto__'), null);
  assert.equal(file.current(), 'https://other.example');
  assert.equal(statSync(file.path).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'fairlead')).mode & 0o777, 0o700);
});

it('leaves no draft and no lock behind, and no file after the last login is removed', async () => {
  await file.save(API, LOGIN);
  assert.deepEqual(readdirSync(join(folder, 'fairlead')), ['credentials.json']);
  await file.remove('https://unknown.example');
  await file.remove(API);
  assert.equal(existsSync(file.path), false);
  assert.equal(file.find(API), null);
});

it('is refused when others can read it, and when it is damaged, with what to do', async () => {
  await file.save(API, LOGIN);
  chmodSync(file.path, 0o644);
  assert.throws(() => file.find(API), { code: 'CREDENTIALS_UNSAFE', exit: 'auth', remedy: /chmod 600/ });
  chmodSync(file.path, 0o600);
  for (const text of [
    '{',
    '{}',
    'null',
    JSON.stringify({ version: 1, current: null, logins: { x: { ...LOGIN, issuer: 1 } } }),
  ]) {
    writeFileSync(file.path, text);
    assert.throws(() => file.find(API), { code: 'CREDENTIALS_INVALID', exit: 'auth' }, text);
  }
});

it('changes one at a time: of many at once the first changes and the others see it', async () => {
  await file.save(API, LOGIN);
  let changes = 0;
  const others = Array.from({ length: 8 }, () => createCredentialsFile(file.path));
  const seen = await Promise.all(
    others.map((other) =>
      other.update(API, async (login) => {
        assert.ok(login !== null);
        if (login.accessToken !== 'access-1') return login;
        changes += 1;
        return { ...login, accessToken: 'access-2' };
      }),
    ),
  );
  assert.deepEqual([changes, new Set(seen.map(({ accessToken }) => accessToken))], [1, new Set(['access-2'])]);
});

it('stands where the XDG Base Directory says, which must be absolute', () => {
  assert.equal(credentialsPath({ XDG_CONFIG_HOME: '/cfg' }), '/cfg/fairlead/credentials.json');
  const home = join(homedir(), '.config', 'fairlead', 'credentials.json');
  assert.deepEqual([credentialsPath({}), credentialsPath({ XDG_CONFIG_HOME: 'relative' })], [home, home]);
});
