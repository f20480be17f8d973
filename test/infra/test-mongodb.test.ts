import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mongodbOfServices } from '../../infra/dev/test-mongodb.ts';

test('services of a test stack have their databases on the MongoDB that a person named', () => {
  const rows = [
    ['mongodb://root:p%40ss@db.example:27018/?authSource=admin', 'db.example', '27018'],
    ['mongodb://root:secret@db.example/x', 'db.example', '27017'],
    ['mongodb://127.0.0.1:1', '127.0.0.1', '1'],
  ] as const;
  for (const [uri, host, port] of rows) {
    const expected = { DB_MONGODB_ADMIN_URI: uri, DB_MONGODB_HOST: host, DB_MONGODB_PORT: port };
    assert.deepEqual(mongodbOfServices({ FAIRLEAD_TEST_MONGODB_URI: uri }), expected);
  }
  for (const uri of [undefined, '', 'nothing'])
    assert.deepEqual(mongodbOfServices({ FAIRLEAD_TEST_MONGODB_URI: uri }), {});
});
