import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MongoServerError } from 'mongodb';
import { createFirstUser, nextStep } from '../../infra/dev/create-first-user.ts';

const failsWith = (code: number) => new MongoServerError({ message: `code ${code}`, code });

/** What a data folder keeps. */
interface Folder {
  config: { host: string; version: number } | null;
  hasUser: boolean;
}

type Members = readonly { readonly host: string }[];

/**
 * The rules of a `mongod` that asks for passwords, for a connection without credentials: until there is a user, it may make
 * and change the replica set, see its status, and create the user on the primary.
 */
function serverOf(folder: Folder, me: string): (command: object) => object {
  const isMember = () => folder.config?.host === me;
  const hostOf = (members: Members) => members[0]?.host ?? '';
  const commands: Readonly<Record<string, (given: never) => void>> = {
    replSetGetStatus: () => {
      if (folder.config === null) throw failsWith(94);
      if (!isMember()) throw failsWith(93);
    },
    replSetInitiate: ({ members }: { members: Members }) => {
      if (folder.config !== null) throw failsWith(23);
      folder.config = { host: hostOf(members), version: 1 };
    },
    replSetReconfig: ({ version, members }: { version: number; members: Members }) => {
      if (version <= (folder.config?.version ?? 0)) throw failsWith(103);
      folder.config = { host: hostOf(members), version: version + 110_000 };
    },
    createUser: () => {
      if (!isMember()) throw failsWith(10_107);
      folder.hasUser = true;
    },
  };
  return (command) => {
    const [[name, given]] = Object.entries(command) as [[string, never]];
    if (name === 'hello') return { isWritablePrimary: isMember() };
    if (folder.hasUser) throw failsWith(13);
    const carryOut = commands[name];
    assert.ok(carryOut !== undefined, `${name} is let in for nobody`);
    carryOut(given);
    return {};
  };
}

/** One start, whose process may be killed before or after the command of a number has its effect. */
async function start(folder: Folder, me: string, kill = Number.POSITIVE_INFINITY, isAfter = false): Promise<boolean> {
  const server = serverOf(folder, me);
  let count = 0;
  const command = async (given: object): Promise<object> => {
    count += 1;
    if (count > kill || (count === kill && !isAfter)) throw new Error('killed');
    const reply = server(given);
    if (count === kill) throw new Error('killed');
    return reply;
  };
  const admin = { command } as Parameters<typeof createFirstUser>[0];
  const options = { password: 'p', replicaSet: 'fairlead', members: [{ _id: 0, host: me }] };
  return await createFirstUser(admin, options).then(
    () => false,
    (error: Error) => {
      if (error.message !== 'killed') throw error;
      return true;
    },
  );
}

const HERE = '127.0.0.1:27117';
const FOLDERS: Readonly<Record<string, () => Folder>> = {
  'a new folder': () => ({ config: null, hasUser: false }),
  'a folder of a version without passwords': () => ({ config: { host: HERE, version: 1 }, hasUser: false }),
  'such a folder of another port': () => ({ config: { host: '127.0.0.1:1', version: 300_000 }, hasUser: false }),
};

describe('the first user of a mongod', () => {
  for (const [name, make] of Object.entries(FOLDERS)) {
    it(`${name} gets it, wherever a start was killed, and whatever port the next one has`, async () => {
      for (const isAfter of [false, true]) {
        for (const next of [HERE, '127.0.0.1:2']) {
          let wasKilled = true;
          for (let kill = 1; wasKilled; kill += 1) {
            const folder = make();
            wasKilled = await start(folder, HERE, kill, isAfter);
            if (!folder.hasUser) await start(folder, next);
            assert.equal(folder.hasUser, true, `killed at command ${kill}`);
          }
        }
      }
    });
  }

  it('is not made where there is one, whose password is another', async () => {
    const folder = { config: { host: HERE, version: 1 }, hasUser: true };
    await assert.rejects(start(folder, HERE), { code: 'UNAVAILABLE', message: /another password/ });
  });

  it('comes after the replica set, which comes after the server has begun', () => {
    assert.equal(nextStep({ isWritablePrimary: true, statusError: null }), 'user');
    assert.equal(nextStep({ isWritablePrimary: false, statusError: 94 }), 'initiate');
    assert.equal(nextStep({ isWritablePrimary: false, statusError: 93 }), 'readdress');
    assert.equal(nextStep({ isWritablePrimary: false, statusError: null }), 'wait');
    assert.equal(nextStep({ isWritablePrimary: false, statusError: 11_600 }), 'wait');
  });
});
