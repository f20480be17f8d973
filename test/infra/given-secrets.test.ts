import assert from 'node:assert/strict';
import { it } from 'node:test';
import { givenSecrets } from '../../infra/dev/given-secrets.ts';

it('what the platform is given of tokens and passwords is in no log of its programs, in both forms of an address', async () => {
  const held = await givenSecrets({
    GIT_TOKEN: 'a-git-token',
    GITHUB_TOKEN: 'a-github-token',
    DOCKER_REGISTRY_TOKEN: 'a-registry-token',
    CLOUDFLARE_API_TOKEN: 'a-vendor-token',
    INTERNAL_SERVICE_KEY: 'a key from the environment, 32 b',
    DB_POSTGRES_ADMIN_URI: 'postgres://admin:post%40gres@db.example/postgres',
    DB_MONGODB_ADMIN_URI: 'mongodb://admin:mongo%2Fpass@a.example:27017,b.example:27017/admin',
    DB_REDIS_ADMIN_URL: 'redis://:redis-password@db.example:6379',
    DB_NEO4J_ADMIN_PASSWORD: 'neo4j-password',
    DB_NEO4J_ADMIN_USER: 'neo4j',
    LOG_LEVEL: 'info',
  });
  const wanted = [
    ...['a-git-token', 'a-github-token', 'a-registry-token', 'a-vendor-token', 'a key from the environment, 32 b'],
    ...['post%40gres', 'post@gres', 'mongo%2Fpass', 'mongo/pass', 'redis-password', 'neo4j-password'],
  ];
  assert.deepEqual(
    wanted.filter((value) => !held.includes(value)),
    [],
  );
  assert.ok(!held.includes('info') && !held.includes('neo4j'));
  assert.ok((await givenSecrets({ GIT_TOKEN: '', DB_REDIS_ADMIN_URL: 'redis://:100%@db.example' })).includes('100%'));
});
