import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { finishRemovals } from '../../../activities/git-hooks/finish-removals.ts';
import { createGitHost } from '../../../adapters/git-host/git-host.ts';
import { openSecrets } from '../../../api/git-hooks/accept-delivery.ts';
import { rotateSecret } from '../../../api/git-hooks/change-connection.ts';
import { connect } from '../../../api/git-hooks/connect.ts';
import type { AskedBy } from '../../../api/git-hooks/connection-access.ts';
import type { GitHooksDeps } from '../../../api/git-hooks/deps.ts';
import { disconnect, requireConnected } from '../../../api/git-hooks/disconnect.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { connectBodySchema } from '../../../domain/git-hooks/git-hook-schema.ts';
import { dyingAtWrite, type Kill } from '../../support/dying-at.ts';
import { createGitHooksParts, MAIN } from '../../support/in-memory/git-hooks-parts.ts';
import { giteaMissing, startGitea, type TestGitea } from '../../support/start-gitea.ts';

/** A repository at a git host, and the addresses that its hooks deliver to. */
interface Hosted {
  readonly gitHost: GitHooksDeps['gitHost'] & object;
  readonly gitUrl: string;
  readonly token: string;
  hooks(): Promise<readonly string[]>;
}

const BY: AskedBy = { caller: { kind: 'internal', org: 'platform', name: 'internal' }, requestId: 'req_1' };
const HOOKS_URL = 'https://builder.example';

/** Whose writes the process may be killed at: all ports, or the git host alone. */
type Mortal = 'all' | 'git host';

/** Everything of one service that is to be connected, on parts in memory. */
async function useService({ gitHost, gitUrl, token, hooks }: Hosted, mortal: Mortal = 'all') {
  const parts = createGitHooksParts();
  const { service } = await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, { gitUrl });
  const { gitConnections, gitDeliveries, gitHeads, gitHookCommands, audit } = parts;
  const ports = { gitConnections, gitDeliveries, gitHeads, gitHookCommands, gitHost, audit };
  const deps = {
    ...parts,
    ...ports,
    randomSecret: () => randomBytes(32),
    platformGitUrl: gitUrl,
    localSourcesRoot: null,
    hooksUrl: HOOKS_URL,
  } satisfies GitHooksDeps;
  const body = connectBodySchema.parse({ service: 'shop', provider: 'gitea', token });
  const all = async () => (await gitConnections.list({ org: null }, { cursor: null, limit: 10 })).items;
  return {
    deps,
    service,
    body,
    all,
    hooks,
    /** The same, of a process that is killed. */
    killed: (kill: Kill) => {
      const { ports: dying, died } = dyingAtWrite(kill, mortal === 'all' ? ports : { gitHost });
      return { deps: { ...deps, ...dying }, died };
    },
    connect: (on: GitHooksDeps = deps, changes: object = {}) =>
      connect(on, BY, { service, body: { ...body, ...changes } }),
    disconnect: async (id: string, on: GitHooksDeps = deps) =>
      await disconnect(on, BY, await requireConnected(on, BY.caller, id)),
    /** What the connection keeps besides itself. */
    async keep(connectionId: string) {
      await parts.delivered(connectionId);
      const key = { connectionId, serviceId: service.id, environment: 'prod', ref: MAIN } as const;
      await gitHeads.set(key, { seen: 'a'.repeat(40) });
    },
    async assertGone(id: string) {
      const later = new Date(Date.now() + 3_600_000);
      const page = { cursor: null, limit: 10 };
      assert.deepEqual(await hooks(), []);
      assert.deepEqual(await all(), []);
      assert.deepEqual(await gitConnections.listRemovals(later, 10), []);
      assert.deepEqual([(await gitDeliveries.list(id, page)).items, await gitHeads.list(id)], [[], []]);
      await assert.rejects(requireConnected(deps, BY.caller, id), { code: 'NOT_FOUND' });
      const told = audit.told().filter(({ entityId }) => entityId === id);
      assert.deepEqual(
        told.map(({ eventType }) => eventType).filter((type) => type !== 'git.services_changed'),
        ['git.connected', 'git.disconnected'],
        'the ledger has each once',
      );
      assert.deepEqual([told.at(-1)?.metadata.actor, told.at(-1)?.data.services], ['internal', ['shop']]);
    },
    /** What the worker does on its schedule, as if it were so much later. */
    reconcile: (minutes: number) => finishRemovals({ ...deps, now: () => new Date(Date.now() + minutes * 60_000) }),
  };
}

type Used = Awaited<ReturnType<typeof useService>>;

/** Kills at every write, before it took effect and after, until nothing is killed any more. */
async function atEachWrite(work: (kill: Kill) => Promise<boolean>): Promise<void> {
  for (const moment of ['before', 'after'] as const) {
    let write = 0;
    do write += 1;
    while (await work({ write, moment }));
    assert.ok(write > 1, 'it was killed');
  }
}

const orKilled = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Error && error.message === 'killed')) throw error;
  }
};

function killedHalfWay(host: () => Promise<Hosted>, mortal: Mortal): void {
  /** A connection that keeps something. */
  async function connected(): Promise<{ used: Used; id: string }> {
    const used = await useService(await host(), mortal);
    const { id } = (await used.connect()).reply.connection;
    await used.keep(id);
    return { used, id };
  }

  it('connecting that is killed at any write is finished by asking again: one connection, with its hook', async () => {
    await atEachWrite(async (kill) => {
      const used = await useService(await host(), mortal);
      const { deps, died } = used.killed(kill);
      await orKilled(used.connect(deps));
      const { reply } = await used.connect();
      const [connection, ...others] = await used.all();
      assert.deepEqual([others, connection?.id], [[], reply.connection.id]);
      assert.deepEqual(await used.hooks(), [`${HOOKS_URL}/hooks/git/${reply.connection.id}`]);
      assert.deepEqual([reply.connection.hookRegistered, reply.hookProblem], [true, null]);
      await used.disconnect(reply.connection.id);
      await used.assertGone(reply.connection.id);
      return died();
    });
  });

  it('disconnecting that is killed at any write is finished by asking again: nothing is left', async () => {
    await atEachWrite(async (kill) => {
      const { used, id } = await connected();
      const { deps, died } = used.killed(kill);
      await orKilled(used.disconnect(id, deps));
      const isThere = await requireConnected(used.deps, BY.caller, id).catch(() => null);
      if (isThere !== null) assert.deepEqual(await used.disconnect(id), { hookProblem: null });
      await used.assertGone(id);
      return died();
    });
  });

  it('disconnecting that is killed after it began is finished by the worker, and the repository may be connected anew', async () => {
    await atEachWrite(async (kill) => {
      const { used, id } = await connected();
      const { deps, died } = used.killed(kill);
      await orKilled(used.disconnect(id, deps));
      if ((await used.deps.gitConnections.findRemoval(id)) === null && (await used.all()).length > 0) return died();
      await used.reconcile(1);
      await used.reconcile(3);
      await used.assertGone(id);
      const anew = (await used.connect()).reply.connection;
      assert.deepEqual(await used.hooks(), [anew.hookUrl]);
      await used.reconcile(30);
      assert.deepEqual(await used.hooks(), [anew.hookUrl]);
      await used.disconnect(anew.id);
      return died();
    });
  });
}

describe('a repository that is connected and disconnected by processes that are killed', () => {
  const host = async (): Promise<Hosted & { parts: ReturnType<typeof createGitHooksParts> }> => {
    const parts = createGitHooksParts();
    const gitUrl = 'https://git.example/acme/shop.git';
    parts.gitHost.repositories.set(gitUrl, new Set());
    const hooks = async () => parts.gitHost.hooks().map(({ address }) => address);
    return { parts, gitHost: parts.gitHost, gitUrl, token: 'token-of-ada', hooks };
  };
  killedHalfWay(host, 'all');

  it('has its hook registered by whoever connects again, without naming the token', async () => {
    const used = await useService(await host());
    const { deps } = used.killed({ write: 2, moment: 'before' });
    await orKilled(used.connect(deps));
    assert.deepEqual([(await used.all()).length, await used.hooks()], [1, []], 'killed between the two');
    const { reply } = await used.connect(used.deps, { token: undefined });
    assert.deepEqual(await used.hooks(), [reply.connection.hookUrl]);
  });

  it('has a hook that signs with a secret that is known, wherever a rotation is killed', async () => {
    for (const finish of [false, true]) {
      await atEachWrite(async (kill) => {
        const hosted = await host();
        const used = await useService(hosted);
        const { id } = (await used.connect()).reply.connection;
        const body = { finish, secret: undefined };
        if (finish) await rotateSecret(used.deps, BY, { id, body: { ...body, finish: false } });
        const { deps, died } = used.killed(kill);
        await orKilled(rotateSecret(deps, BY, { id, body }));
        const [connection] = await used.all();
        assert.ok(connection);
        const [hook, ...others] = hosted.parts.gitHost.hooks();
        assert.ok(hook !== undefined && others.length === 0);
        assert.ok(openSecrets(used.deps, connection).includes(hook.secret), JSON.stringify({ finish, kill }));
        return died();
      });
    }
  });

  it('is let go of by the worker while its git host is away, the hook once it is back, or after a day', async () => {
    for (const minutesAway of [60, 25 * 60]) {
      const hosted = await host();
      const used = await useService(hosted);
      const { id } = (await used.connect()).reply.connection;
      hosted.parts.gitHost.failure = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
      assert.equal((await used.disconnect(id)).hookProblem?.code, 'UNAVAILABLE');
      assert.deepEqual(await used.all(), [], 'its deliveries are refused');
      await used.reconcile(minutesAway);
      hosted.parts.gitHost.failure = null;
      await used.reconcile(minutesAway + 10);
      assert.equal((await used.hooks()).length, minutesAway > 24 * 60 ? 1 : 0);
      assert.equal(await used.deps.gitConnections.findRemoval(id), null);
    }
  });
});

describe('the same at a real Gitea', { skip: await giteaMissing() }, () => {
  let gitea: TestGitea;
  let made = 0;
  before(async () => {
    gitea = await startGitea();
  });
  after(() => gitea?.stop());

  killedHalfWay(async () => {
    made += 1;
    const { url, path } = await gitea.createRepository(gitea.admin, `killed-${made}`);
    return {
      gitHost: createGitHost({ platformGitUrl: gitea.url, now: () => new Date() }),
      gitUrl: url,
      token: gitea.admin.token,
      hooks: async () => {
        const hooks = (await gitea.call('GET', `/repos/${path}/hooks`)) as { config: { url: string } }[];
        return hooks.map(({ config }) => config.url);
      },
    };
  }, 'git host');
});
