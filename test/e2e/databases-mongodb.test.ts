import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMongodbNamed, NEEDS_USERS } from '../support/start-service-mongo.ts';
import { completed, trigger, visit } from './harness.ts';
import { sampleService } from './sample-service.ts';

/** In the container: writes a document, counts all, and tries what is not the service's. */
const COMPUTES = `(async () => {
  const { MongoClient } = await import('mongodb');
  const [uri] = Object.entries(process.env).flatMap(([name, value]) => (name.endsWith('MONGODB_URI') ? [value] : []));
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 });
  const tried = (call) => call.then(() => 'done', (error) => error.codeName ?? error.name);
  try {
    const visits = client.db().collection('visits');
    return {
      host: new URL(uri).hostname,
      written: await tried(visits.insertOne({ at: new Date() })),
      visits: await visits.countDocuments(),
      made: await tried(client.db().createCollection('others')),
      elsewhere: await tried(client.db('admin').collection('system.users').findOne()),
    };
  } finally {
    await client.close();
  }
})()`;

const INSTALL = 'RUN npm install --no-audit --no-fund mongodb@7';

describe('a service with a MongoDB database, and one that uses it', {
  timeout: 600_000,
  skip: !(await isMongodbNamed()) && NEEDS_USERS,
}, () => {
  it('writes and reads documents; the other one reads them, and neither reaches more', async () => {
    const app = { computes: COMPUTES, instructions: INSTALL };
    await using shop = await sampleService('with-documents', { ...app, spec: '  databases: [{ type: mongodb }]' });
    await completed((await trigger(shop.name)).buildId);
    const asks = `  dependencies: [{ service: ${shop.name}, databases: [{ type: mongodb, access: read }] }]`;
    await using reader = await sampleService('reads-documents', { ...app, spec: asks });
    await completed((await trigger(reader.name)).buildId);
    const seen = async (name: string) => JSON.parse((await visit(name)).body).computed;
    const ways = { host: 'mongodb.internal', elsewhere: 'Unauthorized' };
    assert.deepEqual(await seen(shop.name), { ...ways, written: 'done', visits: 1, made: 'done' });
    assert.deepEqual(await seen(reader.name), { ...ways, written: 'Unauthorized', visits: 1, made: 'Unauthorized' });
  });
});
