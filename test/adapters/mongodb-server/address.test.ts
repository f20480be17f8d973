import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressForTools,
  passwordsOf,
  sharedOptions,
  withoutDatabase,
  withoutLogin,
} from '../../../adapters/mongodb-server/address.ts';

const SET = 'mongodb://root:p%40ss:w@a.example:1,b.example:2/accounts?replicaSet=rs0&tls=true&retryWrites=false';

test('an address keeps its servers, and who logs in keeps the database that knows it', () => {
  const rows = [
    ['mongodb://root:secret@db.example/', 'mongodb://root:secret@db.example/?authSource=admin'],
    ['mongodb://root:secret@db.example', 'mongodb://root:secret@db.example/?authSource=admin'],
    ['mongodb://root:secret@db.example/other', 'mongodb://root:secret@db.example/?authSource=other'],
    ['mongodb://root:secret@db.example/x?authSource=y', 'mongodb://root:secret@db.example/?authSource=y'],
    ['mongodb://db.example:1/x', 'mongodb://db.example:1/'],
    [
      'mongodb://db.example/?readPreference=secondary&readPreferenceTags=a:b&maxStalenessSeconds=90',
      'mongodb://db.example/',
    ],
    ['mongodb+srv://u:p@c.example/', 'mongodb+srv://u:p@c.example/?authSource=admin'],
  ] as const;
  for (const [given, expected] of rows) assert.equal(withoutDatabase(given), expected);
  assert.match(withoutDatabase(SET), /^mongodb:\/\/root:p%40ss:w@a\.example:1,b\.example:2\/\?replicaSet=rs0&tls=true/);
});

test('the tools are not told by it how long they look for a server: some take milliseconds for seconds', () => {
  const given = 'mongodb://u:p@h/x?serverSelectionTimeoutMS=5000&tls=true';
  assert.equal(addressForTools(given), 'mongodb://u:p@h/?tls=true&authSource=x');
});

test('without its login it names nobody, and asks for none', () => {
  assert.equal(withoutLogin(SET), 'mongodb://a.example:1,b.example:2/?replicaSet=rs0&tls=true&retryWrites=false');
  const given = 'mongodb://u:p@h/?authSource=admin&authMechanism=SCRAM-SHA-256&directConnection=true';
  assert.equal(withoutLogin(given), 'mongodb://h/?directConnection=true');
});

test('its password is known as it is and as it is written', () => {
  assert.deepEqual(passwordsOf(SET), ['p%40ss:w', 'p@ss:w']);
  assert.deepEqual(passwordsOf('mongodb://u:plain@h'), ['plain']);
  for (const none of ['mongodb://h', 'mongodb://u@h', '']) assert.deepEqual(passwordsOf(none), []);
});

test('clients share what says how the server is reached, and nothing else', () => {
  assert.deepEqual(sharedOptions(SET), { tls: 'true', replicaSet: 'rs0' });
});
