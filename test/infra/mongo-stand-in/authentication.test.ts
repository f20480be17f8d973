import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BSON, MongoClient, type MongoClientOptions } from 'mongodb';
import { type StandInProcess, startStandIn } from '../../../infra/dev/stand-in-process.ts';
import { toolPath } from '../../support/tool-path.ts';

let folder: string;
let server: StandInProcess;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-scram-'));
  server = await startStandIn(await toolPath('mongo-stand-in'), join(folder, 'data.mv'));
});
after(async () => {
  await server.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function withClient<T>(uri: string, work: (client: MongoClient) => Promise<T>, options?: MongoClientOptions) {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 10_000, ...options });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const portOf = (): number => Number(new URL(server.address).port);
const withoutUser = (): string => `mongodb://127.0.0.1:${portOf()}/?directConnection=true`;

test('who has the password works, by the mechanism that the driver names or finds', async () => {
  const found = server.address.replace('&authMechanism=SCRAM-SHA-256', '');
  assert.notEqual(found, server.address);
  for (const uri of [server.address, found]) {
    await withClient(uri, async (client) => {
      await client.db('shop').collection('things').insertOne({ n: 1 });
      assert.ok((await client.db('shop').collection('things').countDocuments()) > 0);
    });
  }
});

test('another password, another user and another mechanism are refused alike', async () => {
  const { password } = new URL(server.address);
  const wrong = [
    server.address.replace(password, 'x'.repeat(password.length)),
    server.address.replace(password, password.slice(0, -1)),
    server.address.replace('fairlead:', 'root:'),
    server.address.replace('SCRAM-SHA-256', 'SCRAM-SHA-1'),
    server.address.replace('SCRAM-SHA-256', 'PLAIN'),
  ];
  for (const uri of wrong) {
    assert.notEqual(uri, server.address);
    const refused = withClient(uri, (client) => client.db('shop').collection('things').countDocuments());
    await assert.rejects(refused, { code: 18, message: 'Authentication failed.' }, uri.split('@')[1]);
  }
});

test('a connection that has not authenticated is answered no command but hello and ping', async () => {
  await withClient(withoutUser(), async (client) => {
    const admin = client.db('admin');
    assert.equal((await admin.command({ ping: 1 })).ok, 1);
    const commands = [
      ...[{ listDatabases: 1 }, { serverStatus: 1 }, { buildInfo: 1 }, { getLog: '*' }, { hostInfo: 1 }],
      ...[{ find: 'things' }, { insert: 'things', documents: [{ _id: 2 }] }, { count: 'things' }, { whatsmyuri: 1 }],
      ...[
        { update: 'things', updates: [] },
        { delete: 'things', deletes: [] },
        { drop: 'things' },
        { dropDatabase: 1 },
      ],
      ...[
        { aggregate: 'things', pipeline: [], cursor: {} },
        { getMore: 1n, collection: 'things' },
      ],
      ...[{ listCollections: 1 }, { FIND: 'things' }, { endSessions: [] }, { killCursors: 'things', cursors: [1n] }],
      ...[
        { createIndexes: 'things', indexes: [] },
        { renameCollection: 'shop.things', to: 'shop.other' },
        { nonsense: 1 },
      ],
    ];
    for (const name of ['admin', 'shop', 'local']) {
      for (const command of name === 'admin' ? commands : [...commands, { ping: 1 }, { hello: 1 }, { ismaster: 1 }]) {
        await assert.rejects(client.db(name).command(command), { code: 13 }, JSON.stringify(Object.keys(command)));
      }
    }
  });
  await withClient(server.address, async (client) => {
    assert.equal(await client.db('shop').collection<{ _id: number }>('things').findOne({ _id: 2 }), null);
    const { databases } = await client.db('admin').command({ listDatabases: 1 });
    assert.ok(!databases.some(({ name }: { name: string }) => name === 'local'), 'no database was made by asking');
  });
});

/** A request of the old protocol (OP_QUERY), for what drivers do not send any more. Answered with bytes, or an end. */
async function oldQuery(collection: string, query: BSON.Document): Promise<string> {
  const name = Buffer.from(`${collection}\0`);
  const body = Buffer.concat([
    Buffer.alloc(4),
    name,
    Buffer.from([0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
    BSON.serialize(query),
  ]);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + body.length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(2004, 12);
  const socket = connect(portOf(), '127.0.0.1');
  socket.end(Buffer.concat([header, body]));
  let answer = '';
  for await (const chunk of socket) answer += chunk.toString('latin1');
  return answer;
}

test('the old protocol gives no document either', async () => {
  const text = 'canary-in-a-document';
  await withClient(server.address, (client) => client.db('shop').collection('old').insertOne({ text }));
  const asked = [
    ['shop.old', {}],
    ['shop.$cmd', { find: 'old' }],
    ['shop.$cmd', { $query: { find: 'old' } }],
    ['admin.$cmd', { serverStatus: 1 }],
    ['admin.$cmd', { listDatabases: 1 }],
    ['shop.$cmd', { drop: 'old' }],
  ] as const;
  for (const [collection, query] of asked) {
    const answer = await oldQuery(collection, query);
    assert.ok(!/canary|shop|uptime/.test(answer), `${collection} ${JSON.stringify(query)}`);
  }
  assert.match(await oldQuery('admin.$cmd', { ismaster: 1 }), /ismaster/);
  await withClient(server.address, async (client) => {
    assert.equal((await client.db('shop').collection('old').findOne({}))?.text, text);
  });
});

test('the messages of one connection authenticate no other, and cannot be said again', async () => {
  const steps = (client: MongoClient, payload: string) =>
    client.db('admin').command({ saslContinue: 1, conversationId: 1, payload: Buffer.from(payload) });
  await withClient(
    withoutUser(),
    async (client) => {
      await assert.rejects(steps(client, 'c=biws,r=x,p=eA=='), { code: 18 });
      const mechanism = 'SCRAM-SHA-256';
      for (const payload of ['', 'n,,', 'p=tls-unique,,n=fairlead,r=a', 'n,,n=fairlead', 'n,,r=a,n=fairlead']) {
        const start = { saslStart: 1, mechanism, payload: Buffer.from(payload) };
        await assert.rejects(client.db('admin').command(start), { code: 18 }, payload);
      }
      const start = { saslStart: 1, mechanism, payload: Buffer.from('n,,n=fairlead,r=a') };
      const { payload } = await client.db('admin').command(start);
      const nonce = /^r=([^,]+)/.exec(payload.toString())?.[1];
      const proof = Buffer.alloc(32).toString('base64');
      await assert.rejects(steps(client, `c=biws,r=${nonce},p=${proof}`), { code: 18 });
      // A proof has one attempt: the exchange is over.
      await assert.rejects(steps(client, ''), { code: 18 });
      await assert.rejects(client.db('shop').command({ find: 'things' }), { code: 13 });
    },
    { maxPoolSize: 1 },
  );
});

test('it does not start without a password, and its command line has none', async () => {
  const path = await toolPath('mongo-stand-in');
  for (const password of [undefined, '', 'short']) {
    const env = { ...process.env, MONGO_STAND_IN_USER: 'fairlead', MONGO_STAND_IN_PASSWORD: password };
    const { status, stderr } = spawnSync(path, [join(folder, 'other.mv'), '127.0.0.1', '1'], { env, encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /password/);
  }
});
