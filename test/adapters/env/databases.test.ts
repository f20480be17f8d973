import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databasesSection } from '../../../adapters/env/databases.ts';
import { readSection } from '../../../adapters/env.ts';

const read = (uri: string) => readSection(databasesSection, { DB_POSTGRES_ADMIN_URI: uri }).DB_POSTGRES_ADMIN_URI;

test('the address of the administrator is one', () => {
  for (const uri of ['postgres://root:hunter2@db.internal', 'postgresql://root:hunt%2Fer2@[::1]:5433/postgres']) {
    assert.equal(read(uri), uri);
  }
});

test('what is no address is refused, and its password is not said', () => {
  for (const uri of [
    'postgres://root:hunter2@db:port/',
    'postgres://root:hunter2/x@db:5432',
    'mysql://root:hunter2@db',
  ]) {
    assert.throws(
      () => read(uri),
      (error: Error) => {
        assert.match(error.message, /DB_POSTGRES_ADMIN_URI/);
        assert.doesNotMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), /hunter2/);
        return true;
      },
      uri,
    );
  }
});

test('the address of the MongoDB administrator is one, and its password is not said where it is none', () => {
  const mongodb = (uri: string) => readSection(databasesSection, { DB_MONGODB_ADMIN_URI: uri }).DB_MONGODB_ADMIN_URI;
  for (const uri of ['mongodb://root:hunter2@a:1,b:2/?replicaSet=rs', 'mongodb+srv://root:hunter2@db.example']) {
    assert.equal(mongodb(uri), uri);
  }
  assert.throws(
    () => mongodb('postgres://root:hunter2@db'),
    (error: Error) => {
      assert.match(error.message, /DB_MONGODB_ADMIN_URI/);
      assert.doesNotMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), /hunter2/);
      return true;
    },
  );
});
