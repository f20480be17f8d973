import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { dropKeptDatabase } from '../../../../activities/databases/drop-kept-database.ts';
import { cleanUpAfterBuild } from '../../../../activities/deploys/clean-up.ts';
import { workloadOf } from '../../../../activities/deploys/release-of-build.ts';
import { provisionConsumedDatabases } from '../../../../activities/deploys/steps/provision-consumed-databases.ts';
import type { DependencyDeclaration } from '../../../../domain/catalog/catalog.ts';
import type { ConsumedDatabase } from '../../../../domain/databases/consumer.ts';
import { createServiceDatabases } from '../../../../domain/databases/service-databases.ts';
import type { Environment } from '../../../../domain/environment.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import type { GrantDecision } from '../../../../domain/grants/grant.ts';
import { createMayConsume } from '../../../../domain/grants/may-consume.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { createInMemoryDatabaseServer } from '../../../support/in-memory/database-server.ts';
import { shareService } from '../../../support/share-service.ts';
import { useDeploy } from '../use-deploy.ts';

type Used = Awaited<ReturnType<typeof useDeploy>>;

const DATABASE = 'shop_prod';
const signal = new AbortController().signal;
let parts: Used['parts'];
let attempt: Used['attempt'];
let build: Used['build'];

/** `hello` of acme is deployed; `shop` belongs to acme, and `bank` to another org. Both have a database in prod. */
beforeEach(async () => {
  ({ parts, attempt, build } = await useDeploy({ build: { environment: 'prod' } }));
  await ownDatabase('svc_shop', 'shop', 'acme');
  await ownDatabase('svc_bank', 'bank', 'other');
});

async function ownDatabase(serviceId: string, service: string, org: string, environment: Environment = 'prod') {
  await parts.services.upsert({ id: serviceId, name: service, org }, {});
  await parts.databases.provision('postgres', { service, serviceId, org, environment }, signal);
}

const READ = [{ type: 'postgres', access: 'read' }] as const;
const WRITE = [{ type: 'postgres', access: 'write' }] as const;
const asking = (service: string, databases: DependencyDeclaration['databases'] = READ) => ({
  catalog: catalogRecord({ dependencies: [{ service, scopes: [], databases }] }),
});

/** What the step gives, and what it warns of. */
async function provision(facts: ReturnType<typeof asking>) {
  const context = attempt(facts);
  const { consumedDatabases = [] } = await provisionConsumedDatabases(parts, context);
  return { given: consumedDatabases, warnings: context.warnings };
}

async function blockedBy(facts: ReturnType<typeof asking>) {
  const error = await provision(facts).then(
    () => assert.fail('the deploy goes on'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FairleadError && error.code === 'SCOPE_GRANT_BLOCKED', String(error));
  return error.details as { blockedGrants: readonly { state: string; scopes: readonly string[] }[] };
}

async function decide(decision: GrantDecision): Promise<void> {
  const { items } = await parts.grants.list({ org: 'other' }, { cursor: null, limit: 1 });
  assert.ok(items[0] !== undefined);
  await parts.grantCommands.decide(items[0], { decision, by: 'usr_ada', revision: null, requestId: null });
}

/** Does what the workflows that drop databases were asked for. */
async function carryOutDrops(): Promise<void> {
  const deps = {
    ...{ records: parts.databaseRecords, servers: { postgres: parts.databaseServer.server }, finalBackup: null },
    ...{ rotation: { cipher: parts.cipher, mayConsume: async () => true } },
    ...{ audit: null, now: parts.now, raiseAlarm: async () => undefined },
  };
  const due = parts.drops.filter(({ dropAfter }) => dropAfter <= parts.now());
  for (const { id, dropAfter } of due) {
    await dropKeptDatabase(deps, { id, dropAfter: dropAfter.toISOString() }, signal);
  }
}

/** The variables of a workload that was given these. */
async function envOf(consumedDatabases: readonly ConsumedDatabase[], config: Readonly<Record<string, string>> = {}) {
  const release = releaseRecord({
    id: 'rel_hello',
    service: 'hello',
    serviceId: 'svc_hello',
    environment: 'prod',
    consumedDatabases,
  });
  return await workloadOf(parts, { ...release, config, secrets: {} }, 'bld_1');
}

/** Makes a release with these the active one. */
async function active(id: string, consumedDatabases: readonly ConsumedDatabase[], epoch: number): Promise<void> {
  const fields = { service: 'hello', serviceId: 'svc_hello', environment: 'prod', consumedDatabases } as const;
  await parts.releases.put(releaseRecord({ id, ...fields }));
  await parts.releases.activate(id, { at: parts.now(), epoch, buildId: build.buildId });
}

async function uriOf(consumed: readonly ConsumedDatabase[], name = 'SHOP_POSTGRES_URI'): Promise<URL> {
  const { env } = await envOf(consumed);
  return new URL(env[name] ?? 'none:');
}

const loginOf = ({ username, password }: URL) => ({ user: username, password: decodeURIComponent(password) });
const connect = async (database: string, uri: URL) => await parts.databaseServer.connect(database, loginOf(uri));

describe('databases of other services', () => {
  it('of the same org: a login of its own that reads, in a variable named after the owner', async () => {
    const { given, warnings } = await provision(asking('shop'));
    assert.deepEqual(given, [{ engine: 'postgres', access: 'read', service: 'shop', serviceId: 'svc_shop' }]);
    assert.deepEqual(warnings, []);
    const uri = await uriOf(given);
    assert.equal(uri.pathname, `/${DATABASE}`);
    assert.match(uri.username, new RegExp(`^${DATABASE}_[a-z2-7]{10}_a$`));
    const connection = await connect(DATABASE, uri);
    assert.deepEqual(await connection.read(), []);
    await assert.rejects(connection.write('forged'));
    const { databases } = await envOf(given);
    assert.deepEqual(
      databases.map(({ engine }) => engine),
      ['postgres'],
      'it reaches the server',
    );
    await provision(asking('shop'));
    assert.equal((await uriOf(given)).href, uri.href, 'a redeploy keeps the login');
  });

  it('with write: reads and writes; and the two are logins of their own', async () => {
    const read = await provision(asking('shop'));
    const write = await provision(asking('shop', WRITE));
    const [reader, writer] = [await uriOf(read.given), await uriOf(write.given)];
    assert.notEqual(reader.username, writer.username);
    await (await connect(DATABASE, writer)).write('from beside');
    assert.deepEqual(await (await connect(DATABASE, reader)).read(), ['from beside']);
  });

  it('of MongoDB as well: by a variable, a login and a grant of their own', async () => {
    const mongodb = createInMemoryDatabaseServer('mongodb');
    const databases = createServiceDatabases({
      ...{ records: parts.databaseRecords, cipher: parts.cipher, now: parts.now, graceDays: 7 },
      ...{ newPassword: () => 'of-a-consumer', newGeneration: () => 'unused' },
      engines: {
        mongodb: { server: mongodb.server, address: () => ({ host: 'mongodb.internal', port: 27_017, options: {} }) },
      },
      commands: { dropLater: async () => undefined },
      mayConsume: createMayConsume({ services: parts.services, grants: parts.grants }),
    });
    for (const [service, org] of [
      ['shop', 'acme'],
      ['bank', 'other'],
    ] as const) {
      const owner = { service, serviceId: `svc_${service}`, org, environment: 'prod' } as const;
      await databases.provision('mongodb', owner, signal);
    }
    parts = { ...parts, databases };
    const { given, warnings } = await provision(asking('shop', [{ type: 'mongodb', access: 'read' }]));
    assert.deepEqual(warnings, []);
    const uri = await uriOf(given, 'SHOP_MONGODB_URI');
    assert.match(uri.href, /^mongodb:\/\/shop_prod_[a-z2-7]{10}_a:of-a-consumer@mongodb\.internal:27017\/shop_prod$/);
    const connection = await mongodb.connect(DATABASE, loginOf(uri));
    await assert.rejects(connection.write('forged'));
    const { blockedGrants } = await blockedBy(asking('bank', [{ type: 'mongodb', access: 'write' }]));
    assert.deepEqual(blockedGrants[0]?.scopes, ['database/mongodb:write']);
  });

  it('of another org: blocked until it approves the scope; revoked, the login is refused', async () => {
    const { blockedGrants } = await blockedBy(asking('bank'));
    assert.deepEqual(
      blockedGrants.map(({ state, scopes }) => [state, scopes]),
      [['pending', ['database/postgres:read']]],
    );
    assert.equal((await parts.databaseRecords.consumersOf('svc_bank')).length, 0, 'nothing was made');
    await decide('approve');
    const { given } = await provision(asking('bank'));
    const uri = await uriOf(given, 'BANK_POSTGRES_URI');
    const open = await connect('bank_prod', uri);
    assert.equal((await blockedBy(asking('bank', WRITE))).blockedGrants[0]?.state, 'approved_missing');
    await decide('revoke');
    await carryOutDrops();
    await assert.rejects(open.read());
    await assert.rejects(connect('bank_prod', uri));
    assert.equal((await envOf(given)).env.BANK_POSTGRES_URI, undefined);
    assert.equal((await blockedBy(asking('bank'))).blockedGrants[0]?.state, 'revoked');
    assert.deepEqual(await parts.databaseRecords.consumersOf('svc_bank'), []);
  });

  /** Parts by which the grant is revoked while the login is made: its record is there only after the revocation looked for it. */
  const revokedMeanwhile = (afterwards: () => void = () => undefined) => {
    const consume: typeof parts.databases.consume = async (...given) => {
      const made = await parts.databases.consume(...given);
      assert.ok(made !== null);
      const { items } = await parts.grants.list({ org: 'other' }, { cursor: null, limit: 1 });
      const [grant] = items;
      assert.ok(grant !== undefined);
      await parts.grants.replace(
        { ...grant, status: 'revoked', granted: [], revision: grant.revision + 1 },
        grant.revision,
      );
      afterwards();
      return made;
    };
    return { ...parts, databases: { ...parts.databases, consume } };
  };

  it('of another org, revoked while the login is made: it is ended, and the build blocked', async () => {
    await blockedBy(asking('bank'));
    await decide('approve');
    const refused = provisionConsumedDatabases(revokedMeanwhile(), attempt(asking('bank')));
    await assert.rejects(refused, { code: 'SCOPE_GRANT_BLOCKED' });
    await carryOutDrops();
    assert.deepEqual(await parts.databaseRecords.consumersOf('svc_bank'), []);
  });

  it('of another org, revoked while the login is made by a worker that is killed then: the next attempt ends it', async () => {
    await blockedBy(asking('bank'));
    await decide('approve');
    const killed = revokedMeanwhile(() => {
      throw new Error('killed');
    });
    await assert.rejects(provisionConsumedDatabases(killed, attempt(asking('bank'))), { message: 'killed' });
    assert.equal((await parts.databaseRecords.consumersOf('svc_bank')).length, 1);
    await assert.rejects(provisionConsumedDatabases(parts, attempt(asking('bank'))), { code: 'SCOPE_GRANT_BLOCKED' });
    await carryOutDrops();
    assert.deepEqual(await parts.databaseRecords.consumersOf('svc_bank'), []);
  });

  /** Takes the right away, and nothing else: as one did that looked for logins before this one was on record. */
  async function revokeUnseen(): Promise<void> {
    const [grant] = (await parts.grants.list({ org: 'other' }, { cursor: null, limit: 1 })).items;
    assert.ok(grant !== undefined);
    const revoked = { ...grant, status: 'revoked', granted: [], revision: grant.revision + 1 } as const;
    assert.equal(await parts.grants.replace(revoked, grant.revision), true);
  }

  it('of another org, revoked: no rollback, restart or repair gets the address again, and the clean-up ends the login', async () => {
    await blockedBy(asking('bank'));
    await decide('approve');
    const { given } = await provision(asking('bank'));
    const uri = await uriOf(given, 'BANK_POSTGRES_URI');
    await active('rel_with', given, 1_000);
    await revokeUnseen();
    assert.equal((await parts.databaseRecords.consumersOf('svc_bank'))[0]?.state, 'active', 'nobody ended it');
    assert.equal((await envOf(given)).env.BANK_POSTGRES_URI, undefined);
    await cleanUpAfterBuild(parts, build, signal);
    await carryOutDrops();
    await assert.rejects(connect('bank_prod', uri));
    assert.deepEqual(await parts.databaseRecords.consumersOf('svc_bank'), []);
  });

  it('of another org, revoked before the login is on record: the server hears of none', async () => {
    await blockedBy(asking('bank'));
    await decide('approve');
    const { claim } = parts.databaseRecords;
    const admitted: string[] = [];
    const { consumers } = parts.databaseServer.server;
    assert.ok(consumers !== undefined);
    const { admit } = consumers;
    Object.assign(consumers, {
      admit: async (...args: Parameters<typeof admit>) => {
        await admit(...args);
        const { user } = args[1];
        if (parts.databaseServer.held.get('bank_prod')?.passwords.has(user) === true) admitted.push(user);
      },
    });
    Object.assign(parts.databaseRecords, {
      claim: async (...args: Parameters<typeof claim>) => {
        await revokeUnseen();
        return await claim(...args);
      },
    });
    await assert.rejects(provisionConsumedDatabases(parts, attempt(asking('bank'))), { code: 'SCOPE_GRANT_BLOCKED' });
    assert.deepEqual(admitted, []);
    await carryOutDrops();
    assert.deepEqual(await parts.databaseRecords.consumersOf('svc_bank'), []);
  });

  it('that ends while a worker is paused before it lets it in stays refused', async () => {
    const { consumers } = parts.databaseServer.server;
    assert.ok(consumers !== undefined);
    const { admit } = consumers;
    let users: readonly string[] = [];
    Object.assign(consumers, {
      admit: async (...args: Parameters<typeof admit>) => {
        Object.assign(consumers, { admit });
        // Meanwhile the login ends, and its users are taken away.
        await parts.databases.keep('svc_hello');
        await carryOutDrops();
        await admit(...args);
        users = [...(parts.databaseServer.held.get(DATABASE)?.passwords.keys() ?? [])];
      },
    });
    await provision(asking('shop'));
    assert.deepEqual(users, ['shop_prod_a']);
  });

  it('that somebody is given while another build looks for unused ones stay', async () => {
    const { given } = await provision(asking('shop'));
    const uri = await uriOf(given);
    const by = { serviceId: 'svc_hello', environment: 'prod' } as const;
    for (const give of [() => provision(asking('shop')), () => envOf(given)]) {
      await parts.databases.endConsumed(by, async () => {
        await give();
        return [];
      });
      await carryOutDrops();
      assert.equal((await uriOf(given)).href, uri.href);
      await connect(DATABASE, uri);
    }
    await parts.databases.endConsumed(by, async () => null);
    await connect(DATABASE, uri);
    await parts.databases.endConsumed(by, async () => []);
    await carryOutDrops();
    await assert.rejects(connect(DATABASE, uri));
  });

  it('a value that somebody set for the variable takes the place of no login, also of one that has ended', async () => {
    const { given } = await provision(asking('shop'));
    const config = { SHOP_POSTGRES_URI: 'postgresql://elsewhere/' };
    assert.match((await envOf(given, config)).env.SHOP_POSTGRES_URI ?? '', /^postgresql:\/\/shop_prod_/);
    await parts.databases.keep('svc_hello');
    assert.equal((await envOf(given, config)).env.SHOP_POSTGRES_URI, undefined);
    assert.equal((await envOf([], config)).env.SHOP_POSTGRES_URI, 'postgresql://elsewhere/');
  });

  it('asking for more than a grant gives ends no login that it gives', async () => {
    await blockedBy(asking('bank'));
    await decide('approve');
    const { given } = await provision(asking('bank'));
    await blockedBy(asking('bank', WRITE));
    await carryOutDrops();
    await connect('bank_prod', await uriOf(given, 'BANK_POSTGRES_URI'));
  });

  it('whose grant is removed while the login is made: the build asks anew, and is blocked', async () => {
    await blockedBy(asking('bank'));
    await decide('approve');
    const consume: typeof parts.databases.consume = async (...args) => {
      const made = await parts.databases.consume(...args);
      const [grant] = (await parts.grants.list({ org: 'other' }, { cursor: null, limit: 1 })).items;
      await parts.grants.remove(grant?.id ?? '');
      return made;
    };
    const removed = { ...parts, databases: { ...parts.databases, consume } };
    await assert.rejects(provisionConsumedDatabases(removed, attempt(asking('bank'))), { code: 'SCOPE_GRANT_BLOCKED' });
    await carryOutDrops();
    assert.deepEqual(await parts.databaseRecords.consumersOf('svc_bank'), []);
  });

  it('of an org that authorized this one: no grant is needed', async () => {
    await shareService(parts.services, 'svc_bank', ['acme']);
    assert.equal((await provision(asking('bank'))).given.length, 1);
  });

  const absent: readonly {
    readonly what: string;
    readonly service: string;
    readonly before?: () => Promise<unknown>;
  }[] = [
    { what: 'a service that is not there', service: 'nobody' },
    {
      what: 'a service without a database',
      service: 'plain',
      before: () => parts.services.upsert({ id: 'svc_plain', name: 'plain', org: 'acme' }, {}),
    },
    {
      what: 'a service whose database is in another environment',
      service: 'test',
      before: () => ownDatabase('svc_test', 'test', 'acme', 'uat'),
    },
    { what: 'the service itself', service: 'hello', before: () => ownDatabase('svc_hello', 'hello', 'acme') },
    {
      what: 'a service that is being removed',
      service: 'shop',
      before: () => parts.services.setRemoving('svc_shop', true),
    },
    {
      what: 'a service whose name another one had',
      service: 'late',
      before: async () => {
        await ownDatabase('svc_early', 'late', 'acme');
        await parts.services.remove('svc_early');
        await parts.services.upsert({ id: 'svc_late', name: 'late', org: 'acme' }, {});
      },
    },
    { what: 'the id of a service in the place of its name', service: 'svc_shop' },
    { what: 'a name that is that of a database', service: 'shop_prod' },
    { what: 'a name that ends a statement', service: `shop"; DROP ROLE shop_prod; --` },
  ];
  for (const { what, service, before } of absent) {
    it(`${what}: a warning, and the deploy goes on without`, async () => {
      await before?.();
      const { given, warnings } = await provision(asking(service));
      assert.deepEqual(given, []);
      assert.match(warnings.join(), /_POSTGRES_URI is not given: .* has no PostgreSQL database in prod/);
    });
  }

  it('that the catalog does not name any more end after the build, unless another build is open', async () => {
    const { given } = await provision(asking('shop'));
    const uri = await uriOf(given);
    const cleanUp = async () => {
      await cleanUpAfterBuild(parts, build, signal);
      await carryOutDrops();
    };
    await active('rel_with', given, 1_000);
    await cleanUp();
    await active('rel_without', [], 1_001);
    const open = { id: 'bld_open', service: 'hello', serviceId: 'svc_hello', environment: 'prod' } as const;
    await parts.builds.create(buildRecord(open));
    await cleanUp();
    await connect(DATABASE, uri);
    await parts.builds.finish('bld_open', {
      ...{ status: 'completed', reason: null, failure: null, supersededBy: null, finishedAt: parts.now() },
    });
    await cleanUp();
    await assert.rejects(connect(DATABASE, uri));
  });

  const removals = [
    { what: 'the service that uses it', serviceId: 'svc_hello', isKept: false },
    { what: 'the service that has it', serviceId: 'svc_shop', isKept: true },
  ];
  for (const { what, serviceId, isKept } of removals) {
    it(`${what} is removed: the login ends, and the database ${isKept ? 'is kept' : 'stays'}`, async () => {
      const { given } = await provision(asking('shop'));
      const uri = await uriOf(given);
      await parts.databases.keep(serviceId);
      assert.equal((await envOf(given)).env.SHOP_POSTGRES_URI, undefined);
      await carryOutDrops();
      await assert.rejects(connect(DATABASE, uri));
      assert.ok(parts.databaseServer.held.has(DATABASE));
      assert.equal((await parts.databaseRecords.find(`postgres/${DATABASE}`))?.state, isKept ? 'kept' : 'active');
    });
  }

  it('while an earlier login is being ended, another try gets a new one', async () => {
    const { given } = await provision(asking('shop'));
    const before = await uriOf(given);
    await parts.databases.endConsumed({ serviceId: 'svc_hello', environment: 'prod' }, async () => []);
    await assert.rejects(provision(asking('shop')), { code: 'CONFLICT', retryable: true });
    await carryOutDrops();
    const after = await uriOf((await provision(asking('shop'))).given);
    assert.notEqual(after.password, before.password);
    await connect(DATABASE, after);
    // A worker that was paused since does it late: nothing of the new login is lost.
    await carryOutDrops();
    await connect(DATABASE, after);
  });

  it('no log of the service shows the password', async () => {
    const uri = await uriOf((await provision(asking('shop'))).given);
    assert.ok((await parts.databases.passwords('svc_hello')).includes(decodeURIComponent(uri.password)));
  });
});
