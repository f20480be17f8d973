import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openRedis } from '../../support/start-redis.ts';
import { runPart, type TestPart } from './run-part.ts';

let part: TestPart;
before(async () => {
  // Users of an earlier start, whose administrator had another password.
  part = await runPart('redis', async ({ dataDir }) => {
    await mkdir(join(dataDir, 'redis'), { recursive: true });
    const users = [
      'user default on nopass ~* &* +@all',
      'user fairlead on >earlier ~* &* +@all',
      'user shop_prod_a on >kept ~shop_prod:* +@read',
    ];
    await writeFile(join(dataDir, 'redis', 'users.acl'), `${users.join('\n')}\n`);
  });
});
after(() => part.stop());

const admin = () => ({ user: 'fairlead', password: part.context.secret('REDIS_PASSWORD') });
const open = (login: { user: string; password: string }) => openRedis(part.context.ports.redis ?? 0, login);

test('it keeps its data and users over a restart, which open connections do not hold up', async () => {
  const client = await open(admin());
  await client.set('kept', 'value');
  await client.aclSetUser('later', ['on', '>later', '+ping']);
  await client.aclSave();
  await part.restart();
  const again = await open(admin());
  assert.equal(await again.get('kept'), 'value');
  again.destroy();
  for (const login of [
    { user: 'later', password: 'later' },
    { user: 'shop_prod_a', password: 'kept' },
  ]) {
    (await open(login)).destroy();
  }
});

test('without the password it says nothing, and the password is in no command line and no file', async () => {
  const { password } = admin();
  for (const refused of [
    { user: 'default', password: '' },
    { user: 'default', password },
    { user: 'fairlead', password: 'earlier' },
    { user: 'fairlead', password: '' },
  ]) {
    await assert.rejects(open(refused));
  }
  assert.ok(!part.commandLine.includes(password));
  assert.ok(!(await readFile(join(part.context.dataDir, 'redis', 'users.acl'), 'utf8')).includes(password));
});

test('its data is in a folder for its owner alone', async () => {
  assert.equal((await stat(join(part.context.dataDir, 'redis'))).mode & 0o777, 0o700);
});
