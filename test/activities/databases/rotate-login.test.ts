import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  acceptLogin,
  listDueLogins,
  prepareLogin,
  promoteLogin,
  type RotatingDeps,
  replaceWorkload,
  tellWaiting,
} from '../../../activities/databases/rotate-login.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { userBase } from '../../../domain/databases/consumer.ts';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import type { DatabaseRecord } from '../../../domain/databases/record.ts';
import { databaseRecord, storedLogin } from '../../ports/database-records.ts';
import { createRotationWorld, type RotationWorld, TARGET } from '../../support/rotation-world.ts';

const ID = 'postgres/shop_prod';
const DAY_MS = 86_400_000;
const signal = new AbortController().signal;
const BY = { requestedBy: 'schedule', requestId: 'req_night' };

/** A service that was deployed, 30 days ago. */
async function dueWorld(): Promise<RotationWorld> {
  const world = await createRotationWorld();
  await world.provision();
  await world.install('bld_first', 'rel_first');
  world.clock.now = new Date(world.clock.now.getTime() + 30 * DAY_MS);
  return world;
}

/** What the workflow does, until it would wait. */
async function rotate(deps: RotatingDeps, given: { readonly isAsked?: boolean } = {}) {
  const { isAsked = false } = given;
  const begun = await prepareLogin(deps, { id: ID, isAsked, ...BY });
  if (begun.kind === 'not due') return { state: 'not due' as const, again: async () => 'not due' as const };
  await acceptLogin(deps, ID, signal);
  const mark = await promoteLogin(deps, ID);
  if (mark === null) return { state: 'not due' as const, again: async () => 'not due' as const };
  const again = () => replaceWorkload(deps, { id: ID, isAsked, ...BY, buildId: begun.buildId, mark }, signal);
  return { state: await again(), again };
}

const FROM = { engine: 'postgres', access: 'read', service: 'shop', serviceId: 'svc_shop' } as const;
const CONSUMER = { service: 'billing', serviceId: 'svc_billing', org: 'acme', environment: 'prod' } as const;

/** The login that another service is given to the database. */
async function consumerLogin({ databases, records }: RotationWorld): Promise<DatabaseRecord> {
  await databases.consume({ from: FROM, by: CONSUMER }, signal);
  const [record] = await records.consumersOf('svc_shop');
  assert.ok(record !== undefined);
  return record;
}

async function isDue({ deps }: RotationWorld): Promise<boolean> {
  return (await listDueLogins(deps, null)).items.some(({ id }) => id === ID);
}

describe('rotating a login to the database of another service', () => {
  it('replaces the workload of who uses it, and the owner keeps its login', async () => {
    const world = await dueWorld();
    const { held, deps, databases } = world;
    const record = await consumerLogin(world);
    const passwords = () => new Map(held.get('shop_prod')?.passwords);
    const before = passwords();
    const begun = await prepareLogin(deps, { id: record.id, isAsked: true, ...BY });
    assert.equal(begun.kind, 'begun');
    await acceptLogin(deps, record.id, signal);
    const users = databaseUsers(userBase(record));
    assert.deepEqual(
      users.map((user) => passwords().has(user)),
      [true, true],
      'both are valid',
    );
    const mark = await promoteLogin(deps, record.id);
    assert.ok(mark !== null);
    const state = await replaceWorkload(deps, { id: record.id, isAsked: true, ...BY, buildId: 'bld_r', mark }, signal);
    assert.equal(state, 'rotated', 'nothing of billing runs');
    assert.deepEqual(
      users.map((user) => passwords().has(user)),
      [false, true],
    );
    assert.equal(passwords().get('shop_prod_a'), before.get('shop_prod_a'));
    assert.ok(held.get('shop_prod')?.readers.has(users[1]), 'it reads, and no more');
    const reserved = { own: [], consumed: [FROM] };
    const given = (await databases.variables(CONSUMER, reserved, 3000)).reserved.SHOP_POSTGRES_URI;
    assert.match(given ?? '', new RegExp(`//${users[1]}:`));
  });
});

describe('which logins are due', () => {
  const NIGHT = new Date('2026-06-01T00:30:00Z');
  const aged = (days: number, fields: Partial<DatabaseRecord> = {}) => {
    const login = { ...storedLogin('someone', 'aged'), issuedAt: new Date(NIGHT.getTime() - days * DAY_MS) };
    return databaseRecord({ login, ...fields });
  };
  /** Ids of each page, as a night asks for them. */
  const pages = async (deps: RotatingDeps, begunAt = NIGHT): Promise<string[][]> => {
    const all: string[][] = [];
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const page: Awaited<ReturnType<typeof listDueLogins>> = await listDueLogins(deps, cursor, begunAt.toISOString());
      all.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    return all;
  };

  it('are listed by their age over all pages, whatever their names; those that are not due make no page of their own', async () => {
    const { deps, records, clock } = await createRotationWorld();
    clock.now = NIGHT;
    const young = Array.from({ length: 120 }, () => aged(29));
    const due = Array.from({ length: 130 }, (_, index) => aged(200 - index));
    for (const record of [...young, ...due.toReversed()]) await records.claim(record);
    const listed = await pages(deps);
    assert.deepEqual(
      listed.flat(),
      due.map(({ id }) => id),
    );
    assert.ok(listed.length >= 3, 'more than a page of them');
    assert.ok(listed.slice(0, -1).every((page) => page.length > 0));
  });

  it('are those of rotations that wait as well, but for what was made tonight', async () => {
    const { deps, records, clock } = await createRotationWorld();
    clock.now = NIGHT;
    const waiting = aged(1, { retiring: 'someone_else' });
    const ofTonight = aged(-0.01, { retiring: 'someone_else' });
    for (const record of [waiting, ofTonight, aged(1)]) await records.claim(record);
    assert.deepEqual((await pages(deps)).flat(), [waiting.id]);
    assert.deepEqual((await pages(deps, new Date(NIGHT.getTime() + DAY_MS))).flat(), [waiting.id, ofTonight.id]);
  });
});

describe('what a rotation waits for', () => {
  const waits = async ({ records }: RotationWorld) => {
    const wait = (await records.find(ID))?.waits;
    return wait == null ? null : [wait.for, wait.buildId, wait.reason, wait.since.toISOString()];
  };

  it('is noted with the time since when, and gone once it has ended', async () => {
    const world = await dueWorld();
    const since = world.clock.now.toISOString();
    const { again } = await rotate(world.deps);
    const buildId = world.restarts[0]?.buildId;
    assert.deepEqual(await waits(world), ['restart', buildId, null, since]);
    world.clock.now = new Date(world.clock.now.getTime() + 60_000);
    assert.equal(await again(), 'replacing');
    assert.deepEqual(await waits(world), ['restart', buildId, null, since], 'it waits for the same since then');
    await world.finishRestart();
    assert.equal(await again(), 'rotated');
    assert.equal(await waits(world), null);
  });

  it('is the deploy of people, and then the next night with the reason', async () => {
    const world = await dueWorld();
    world.state.answer = 'busy';
    const { state } = await rotate(world.deps);
    assert.equal(state, 'busy');
    assert.equal((await waits(world))?.[0], 'deploy');
    await tellWaiting(world.deps, { id: ID, reason: 'people deployed it', buildId: 'bld_x' });
    assert.deepEqual((await waits(world))?.slice(0, 3), ['next-night', 'bld_x', 'people deployed it']);
  });
});

describe('rotating a login to the database of another service that may not be there any more', () => {
  it('lets no new one in, and gives none to workloads', async () => {
    const world = await dueWorld();
    const { held, deps, databases } = world;
    const record = await consumerLogin(world);
    world.allowed.consumers = false;
    assert.equal((await prepareLogin(deps, { id: record.id, isAsked: true, ...BY })).kind, 'begun');
    await acceptLogin(deps, record.id, signal);
    assert.equal(held.get('shop_prod')?.passwords.has(databaseUsers(userBase(record))[1]), false);
    const { reserved } = await databases.variables(CONSUMER, { own: [], consumed: [FROM] }, 3000);
    assert.deepEqual(reserved, {});
  });
});

describe('rotating a login', () => {
  it('happens once the login is old enough, and then no sooner than after as long again', async () => {
    const world = await createRotationWorld();
    await world.provision();
    world.clock.now = new Date(world.clock.now.getTime() + 30 * DAY_MS - 1);
    assert.equal(await isDue(world), false);
    assert.equal((await rotate(world.deps)).state, 'not due');
    world.clock.now = new Date(world.clock.now.getTime() + 1);
    assert.equal(await isDue(world), true);
    assert.equal((await rotate(world.deps)).state, 'rotated');
    assert.equal(await isDue(world), false);
    assert.equal((await rotate(world.deps)).state, 'not due');
    assert.equal((await rotate(world.deps, { isAsked: true })).state, 'rotated', 'asked for, it is made at once');
  });

  it('lets both logins in until the workload was replaced, then the new one alone', async () => {
    const world = await dueWorld();
    const before = world.given();
    const { state, again } = await rotate(world.deps);
    assert.equal(state, 'replacing');
    assert.deepEqual([world.users(), world.isServed(), world.given()], [['shop_prod_a', 'shop_prod_b'], true, before]);
    await world.finishRestart();
    assert.equal(await again(), 'rotated');
    assert.deepEqual([world.users(), world.isServed()], [['shop_prod_b'], true]);
    assert.notEqual(world.given(), before);
    assert.deepEqual(
      world.audit.told().map(({ eventType, orgSlug }) => [eventType, orgSlug]),
      [['database.login_rotated', 'acme']],
    );
    assert.equal(JSON.stringify(world.audit.told()).includes('password-'), false);
  });

  it('keeps the old login where the new workload does not become healthy, and the next night goes on', async () => {
    const world = await dueWorld();
    const { again } = await rotate(world.deps);
    await world.failRestart();
    assert.equal(await again(), 'failed');
    await tellWaiting(world.deps, { id: ID, reason: 'it failed', buildId: 'bld_x' });
    assert.deepEqual([world.users().length, world.isServed(), world.alarms.length], [2, true, 1]);
    assert.equal(await isDue(world), true, 'also before its time');
    const next = await rotate(world.deps);
    assert.equal(next.state, 'replacing');
    await world.finishRestart();
    assert.equal(await next.again(), 'rotated');
    assert.deepEqual([world.users(), world.isServed()], [['shop_prod_b'], true]);
  });

  it('waits for a deploy of people that has read the old login, and takes one that has read the new one for the restart', async () => {
    const world = await dueWorld();
    let rotation: Awaited<ReturnType<typeof rotate>> | undefined;
    await world.install('bld_people', 'rel_people', async () => {
      world.state.answer = 'busy';
      rotation = await rotate(world.deps);
      assert.equal(rotation.state, 'busy');
    });
    assert.equal(await rotation?.again(), 'busy', 'what they installed has the old login');
    assert.deepEqual([world.users().length, world.isServed()], [2, true]);
    await world.install('bld_next', 'rel_next');
    assert.equal(await rotation?.again(), 'rotated');
    assert.deepEqual([world.users(), world.isServed(), world.restarts], [['shop_prod_b'], true, []]);
  });

  it('restarts nothing where no release has the database, or none serves', async () => {
    const none = await createRotationWorld();
    await none.provision();
    assert.equal((await rotate(none.deps, { isAsked: true })).state, 'rotated');
    assert.deepEqual([none.restarts, none.users()], [[], ['shop_prod_b']]);
    await none.install('bld_first', 'rel_first');
    assert.ok(none.isServed(), 'the next deploy takes the new login');
  });

  it('a rollback to a release from before the rotation is given the login of today', async () => {
    const world = await dueWorld();
    const { again } = await rotate(world.deps);
    await world.finishRestart();
    await again();
    await world.install('bld_rollback', 'rel_first');
    assert.ok(world.isServed());
    assert.equal(JSON.stringify(await world.releases.find('rel_first')).includes('password-'), false);
  });

  it('two at once make one new login', async () => {
    const world = await dueWorld();
    const both = await Promise.allSettled([rotate(world.deps), rotate(world.deps)]);
    assert.ok(both.some(({ status }) => status === 'fulfilled'));
    assert.deepEqual([world.users().length, world.isServed()], [2, true]);
    await world.finishRestart();
    assert.equal((await rotate(world.deps)).state, 'rotated');
    assert.deepEqual([world.users(), world.isServed()], [['shop_prod_b'], true]);
  });

  it('forgets a prepared login that no key opens, and makes another', async () => {
    const world = await dueWorld();
    await prepareLogin(
      { ...world.deps, rotation: { ...world.deps.rotation, cipher: createSecretCipher([Buffer.alloc(32, 9)]) } },
      { id: ID, isAsked: true, ...BY },
    );
    await assert.rejects(acceptLogin(world.deps, ID, signal), { code: 'INTERNAL' });
    assert.equal((await rotate(world.deps)).state, 'replacing');
    assert.ok(world.isServed());
  });

  it('leaves the database of a removed service alone', async () => {
    const world = await dueWorld();
    await world.databases.keep('svc_shop');
    assert.deepEqual([await isDue(world), (await rotate(world.deps, { isAsked: true })).state], [false, 'not due']);
    assert.deepEqual(world.users(), ['shop_prod_a']);
  });

  it('waits for a server that is away, and does nothing for one that is not configured any more', async () => {
    const world = await dueWorld();
    const away = new Error('away');
    const server = world.deps.servers.postgres;
    assert.ok(server !== undefined);
    const failing = { ...server, ensure: () => Promise.reject(away) };
    await assert.rejects(rotate({ ...world.deps, servers: { postgres: failing } }), (error) => error === away);
    assert.deepEqual([world.users(), world.isServed()], [['shop_prod_a'], true]);
    assert.equal((await rotate({ ...world.deps, servers: {} })).state, 'not due');
    assert.equal((await rotate(world.deps)).state, 'replacing');
  });
});

/** Calls that change something, in the order of a rotation from its begin to its end. */
const EFFECTS = ['prepare', 'ensure', 'promote', 'mark', 'restart', 'withdraw', 'endRetiring', 'record'] as const;

describe('a rotation whose worker is killed', () => {
  for (const effect of EFFECTS) {
    for (const when of ['before', 'after'] as const) {
      it(`${when} ${effect}: the workload is always let in, and the next attempt brings it to its end`, async () => {
        const world = await dueWorld();
        const killing = killedAt(world, effect, when);
        await assert.rejects(toItsEnd(world, killing.deps), /killed/);
        assert.equal(killing.isKilled(), true);
        assert.ok(world.isServed());
        await toItsEnd(world, world.deps);
        assert.deepEqual([world.users(), world.isServed()], [['shop_prod_b'], true]);
        const record = await world.records.find(ID);
        assert.deepEqual([record?.next, record?.retiring, record?.login.user], [null, null, 'shop_prod_b']);
      });
    }
  }
});

async function toItsEnd(world: RotationWorld, deps: RotatingDeps): Promise<void> {
  const { state, again } = await rotate(deps);
  if (state !== 'replacing') return;
  assert.ok(world.isServed());
  await world.finishRestart();
  assert.equal(await again(), 'rotated');
}

/** The parts of a worker that is killed once, at one call. */
function killedAt(world: RotationWorld, effect: (typeof EFFECTS)[number], when: 'before' | 'after') {
  let isKilled = false;
  const at = <A extends unknown[], T>(name: (typeof EFFECTS)[number], call: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      if (name !== effect || isKilled) return await call(...args);
      isKilled = true;
      if (when === 'after') await call(...args);
      throw new Error('killed');
    };
  };
  const { deps } = world;
  const { records, rotation, audit } = deps;
  const server = deps.servers.postgres;
  if (server === undefined || audit === null) throw new Error('no server');
  const { workloads } = rotation;
  return {
    isKilled: () => isKilled,
    deps: {
      ...deps,
      records: {
        ...records,
        prepareLogin: at('prepare', records.prepareLogin),
        promoteLogin: at('promote', records.promoteLogin),
        endRetiring: at('endRetiring', records.endRetiring),
      },
      servers: {
        postgres: { ...server, ensure: at('ensure', server.ensure), withdraw: at('withdraw', server.withdraw) },
      },
      audit: { record: at('record', audit.record) },
      rotation: {
        ...rotation,
        workloads: { ...workloads, mark: at('mark', workloads.mark), restart: at('restart', workloads.restart) },
      },
    } satisfies RotatingDeps,
  };
}

it('a mark is of the service and environment alone', async () => {
  const world = await dueWorld();
  const { mark } = world.deps.rotation.workloads;
  const first = await mark(TARGET);
  await mark({ service: 'blog', environment: 'prod' });
  assert.ok((await mark(TARGET)) > first);
});

describe('a worker that wakes late', () => {
  /** What other workers do between the read of the record and the word to the server. */
  function waking(world: RotationWorld, call: 'ensure' | 'withdraw', meanwhile: () => Promise<void>): RotatingDeps {
    const server = world.deps.servers.postgres;
    assert.ok(server !== undefined);
    let isLate = true;
    const late = <A extends unknown[], T>(act: (...args: A) => Promise<T>) => {
      return async (...args: A): Promise<T> => {
        if (isLate) {
          isLate = false;
          await meanwhile();
        }
        return await act(...args);
      };
    };
    const postgres = { ...server, [call]: late(server[call] as (...args: unknown[]) => Promise<unknown>) };
    return { ...world.deps, servers: { postgres } };
  }

  it('does not shut out the workload by ending a login whose user has its turn again', async () => {
    const world = await dueWorld();
    const { again } = await rotate(world.deps);
    assert.equal(await again(), 'replacing');
    await world.finishRestart();
    const deps = waking(world, 'withdraw', async () => {
      await toItsEnd(world, world.deps);
      const next = await rotate(world.deps, { isAsked: true });
      await world.finishRestart();
      assert.equal(await next.again(), 'rotated');
      assert.deepEqual(world.users(), ['shop_prod_a']);
    });
    await rotate(deps);
    assert.deepEqual([world.users(), world.isServed()], [['shop_prod_a'], true]);
  });

  it('lets in no login that was ended since, by a rotation or a deploy', async () => {
    const world = await dueWorld();
    const begun = await prepareLogin(world.deps, { id: ID, isAsked: true, ...BY });
    assert.equal(begun.kind, 'begun');
    const twice = async () => {
      await toItsEnd(world, world.deps);
      const next = await rotate(world.deps, { isAsked: true });
      await world.finishRestart();
      assert.equal(await next.again(), 'rotated');
      assert.deepEqual(world.users(), ['shop_prod_a']);
    };
    await acceptLogin(waking(world, 'ensure', twice), ID, signal);
    assert.deepEqual([world.users(), world.isServed()], [['shop_prod_a'], true]);
  });
});

it('no log shows the password of a login that is valid still', async () => {
  const world = await dueWorld();
  const [before] = await world.databases.passwords('svc_shop');
  const { again } = await rotate(world.deps);
  assert.ok(before !== undefined);
  assert.ok((await world.databases.passwords('svc_shop')).includes(before), 'what serves may print it');
  await world.finishRestart();
  await again();
  assert.equal((await world.databases.passwords('svc_shop')).includes(before), false);
});

it('what was installed before the mark may serve on until the build that replaces it has ended', async () => {
  const world = await dueWorld();
  const { again } = await rotate(world.deps);
  const { buildId } = world.restarts[0] ?? { buildId: '' };
  await world.install(buildId, 'rel_first', undefined, async () => {
    assert.equal(await again(), 'replacing');
    assert.equal(world.users().length, 2);
  });
  assert.equal(await again(), 'rotated');
});
