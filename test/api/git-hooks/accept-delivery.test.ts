import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FairleadError } from '../../../domain/errors.ts';
import { outcome } from '../../../domain/git-hooks/delivery.ts';
import type { GitProvider } from '../../../domain/git-provider.ts';
import { buildRecord } from '../../ports/records.ts';
import { pushBody, type SignedDelivery, signDelivery } from '../../support/sign-delivery.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

const MIB = 1024 ** 2;

describe('deliveries of git hosts', () => {
  let api: TestApi;
  let services = 0;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  /** A connected service of its own: `secret` signs. */
  async function connected(provider: GitProvider = 'gitea', more: object = {}) {
    services += 1;
    const service = `shop-${services}`;
    const gitUrl = `https://git.example/acme/${service}.git`;
    await api.services.upsert({ id: `svc_${service}`, name: service, org: 'acme' }, { gitUrl });
    const reply = await api.call('POST', '/git/connections', { service, provider, ...more });
    assert.equal(reply.status, 201, reply.text);
    const { connection, secret } = reply.body.data;
    return { id: String(connection.id), secret: String(secret), service };
  }

  function deliver(id: string, { body, headers }: SignedDelivery) {
    return fetch(`${api.address}/hooks/git/${id}`, { method: 'POST', headers, body });
  }

  /** Parsed JSON of any shape: tests look into it. */
  const json = async (reply: Response): Promise<ReturnType<typeof JSON.parse>> => JSON.parse(await reply.text());
  const asked = (id: string): string[] => api.gitHookCommands.asked.filter((what) => what.includes(id));
  const deliveriesOf = async (id: string) =>
    (await api.call('GET', `/git/connections/${id}/deliveries`)).body.data.items;

  it('have the branch looked at, once they are proved genuine, for each provider', async () => {
    for (const provider of ['github', 'gitea', 'forgejo', 'gitlab'] as const) {
      const { id, secret } = await connected(provider);
      const reply = await deliver(id, signDelivery(provider, secret, { body: pushBody({ user_username: 'ada' }) }));
      assert.equal(reply.status, 202, provider);
      const { deliveryId } = (await json(reply)).data;
      assert.ok(asked(id).includes(`look ${id} refs/heads/main ${deliveryId}`), provider);
      const [delivery] = await deliveriesOf(id);
      assert.deepEqual(
        [delivery.kind, delivery.ref, delivery.login, delivery.state],
        ['push', 'refs/heads/main', 'ada', 'waiting'],
      );
    }
  });

  it('by the plain token of GitLab are taken where the connection says so, and nowhere else', async () => {
    const plain = await connected('gitlab', { proof: 'token' });
    const signed = await connected('gitlab');
    const by = (token: string) => ({
      body: pushBody(),
      headers: { 'content-type': 'application/json', 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': token },
    });
    assert.equal((await deliver(plain.id, by(plain.secret))).status, 202);
    assert.equal((await deliver(signed.id, by(signed.secret))).status, 401);
    assert.equal((await deliver(plain.id, by(''))).status, 401);
    const refused = await api.call('POST', '/git/connections', {
      service: plain.service,
      provider: 'github',
      proof: 'token',
    });
    assert.equal(refused.status, 400);
  });

  it('that are not genuine get one answer, which does not tell whether there is a connection', async () => {
    const [mine, other] = [await connected(), await connected()];
    const genuine = signDelivery('gitea', mine.secret, { body: pushBody() });
    const proof = genuine.headers['x-gitea-signature'] ?? '';
    const signed = (signature: string, body = genuine.body) => ({
      body,
      headers: { ...genuine.headers, 'x-gitea-signature': signature },
    });
    const refused = {
      'an unknown connection': await deliver('gcn_0000000000000000000a', genuine),
      'no id at all': await deliver('x', genuine),
      'the secret of another connection': await deliver(
        mine.id,
        signDelivery('gitea', other.secret, { body: pushBody() }),
      ),
      "another connection's delivery": await deliver(other.id, genuine),
      'the empty secret': await deliver(mine.id, signDelivery('gitea', '', { body: pushBody() })),
      'a cut signature': await deliver(mine.id, signed(proof.slice(0, 63))),
      'an upper-case signature': await deliver(mine.id, signed(proof.toUpperCase())),
      'an empty signature': await deliver(mine.id, signed('')),
      'SHA-1': await deliver(mine.id, signed(createHmac('sha1', mine.secret).update(genuine.body).digest('hex'))),
      'a changed body': await deliver(mine.id, signed(proof, genuine.body.replace('main', 'mail'))),
      'no body': await deliver(mine.id, signed(proof, '')),
      'no headers of a provider': await deliver(mine.id, {
        body: genuine.body,
        headers: { 'content-type': 'application/json' },
      }),
      'signatures of GitHub alone': await deliver(mine.id, signDelivery('github', mine.secret, { body: pushBody() })),
    };
    const answers = new Set<string>();
    for (const [name, reply] of Object.entries(refused)) {
      assert.equal(reply.status, 401, name);
      const { error } = await json(reply);
      answers.add(JSON.stringify([error.code, error.message, [...reply.headers.keys()].sort()]));
    }
    assert.equal(answers.size, 1, [...answers].join('\n'));
    assert.deepEqual(asked(mine.id), []);
    assert.deepEqual(await deliveriesOf(mine.id), []);
  });

  it('are told of on the connection: when the last genuine one came, and how many were refused since', async () => {
    const { id } = await connected();
    const shown = async () => {
      const { data } = (await api.call('GET', `/git/connections/${id}`)).body;
      return [data.lastDeliveryAt !== null, data.refusedDeliveries, data.lastRefusedAt !== null, data.silentDays];
    };
    assert.deepEqual(await shown(), [false, 0, false, null]);
    const unsigned = { body: pushBody(), headers: { 'content-type': 'application/json' } };
    assert.equal((await deliver(id, unsigned)).status, 401, 'as of a hook that was given no secret');
    assert.deepEqual(await shown(), [false, 1, true, null]);
    const other = await connected();
    assert.equal((await deliver(other.id, signDelivery('gitea', other.secret, { body: pushBody() }))).status, 202);
    assert.equal((await deliver(other.id, unsigned)).status, 401);
    const { data } = (await api.call('GET', `/git/connections/${other.id}`)).body;
    assert.deepEqual([data.lastDeliveryAt !== null, data.refusedDeliveries], [true, 0], 'it follows within a minute');
    await api.gitConnections.noteDeliveries(other.id, {
      ...{ lastDeliveryAt: null, refusedDeliveries: 3, lastRefusedAt: new Date() },
    });
    const { items } = (await api.call('GET', '/git/connections')).body.data;
    assert.equal(items.find((one: { id: string }) => one.id === other.id).refusedDeliveries, 3);
  });

  it('show where the build is that each asked for, read at once for a page', async () => {
    const { id, service } = await connected();
    const states = { bld_done: 'completed', bld_runs: 'building', bld_old: 'failed' } as const;
    for (const [build, status] of Object.entries(states) as [string, (typeof states)[keyof typeof states]][]) {
      await api.builds.create(buildRecord({ id: build, service, status: status === 'failed' ? 'queued' : status }));
    }
    await api.builds.finish('bld_old', {
      ...{ status: 'failed', reason: 'superseded', failure: null, supersededBy: 'bld_done', finishedAt: new Date() },
    });
    for (const build of [...Object.keys(states), 'bld_gone', null]) {
      const looked = (await api.call('POST', `/git/connections/${id}/look`, {})).body.data.deliveryId;
      const told = build === null ? outcome('unchanged') : outcome('deployed', { service, buildId: build });
      await api.gitDeliveries.decide([looked], [told]);
    }
    const shown = (await deliveriesOf(id)).map(
      ({ outcomes: [one] }: { outcomes: { buildId: string | null; build: unknown }[] }) => [one?.buildId, one?.build],
    );
    assert.deepEqual(Object.fromEntries(shown), {
      ...{ bld_done: { status: 'completed', reason: null }, bld_runs: { status: 'building', reason: null } },
      ...{ bld_old: { status: 'failed', reason: 'superseded' }, bld_gone: null, null: null },
    });
  });

  it('sent with two signature headers are refused', async () => {
    const { id, secret } = await connected();
    const { body, headers } = signDelivery('gitea', secret, { body: pushBody() });
    const twice = new Headers(headers);
    twice.append('x-gitea-signature', headers['x-gitea-signature'] ?? '');
    const reply = await fetch(`${api.address}/hooks/git/${id}`, { method: 'POST', headers: twice, body });
    assert.equal(reply.status, 401);
  });

  it('are checked over the bytes as they are sent, whatever their encoding', async () => {
    const { id, secret } = await connected('github');
    const packed = gzipSync(pushBody());
    const headers = {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-github-event': 'push',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(packed).digest('hex')}`,
    };
    const reply = await fetch(`${api.address}/hooks/git/${id}`, { method: 'POST', headers, body: packed });
    // Nobody unpacks it: it names no branch, so all are looked at.
    assert.equal(reply.status, 202);
    assert.ok(asked(id).some((what) => what.startsWith(`look ${id} all`)));
  });

  it('of GitHub as a form are read as those in JSON', async () => {
    const { id, secret } = await connected('github');
    const body = new URLSearchParams({ payload: pushBody() }).toString();
    const signed = signDelivery('github', secret, { body });
    const headers = { ...signed.headers, 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await deliver(id, { body, headers })).status, 202);
    assert.ok(asked(id).some((what) => what.startsWith(`look ${id} refs/heads/main`)));
  });

  it('longer than is kept have all branches looked at, and those beyond 25 MiB are refused', async () => {
    const { id, secret } = await connected();
    const long = signDelivery('gitea', secret, { body: pushBody({ filler: 'x'.repeat(2 * MIB) }) });
    assert.equal((await deliver(id, long)).status, 202);
    assert.ok(asked(id).some((what) => what.startsWith(`look ${id} all`)));
    const tooLong = signDelivery('gitea', secret, { body: 'x'.repeat(25 * MIB + 1) });
    assert.equal((await deliver(id, tooLong)).status, 413);
    assert.equal((await deliver('gcn_0000000000000000000a', tooLong)).status, 413);
  });

  it('that were seen before, under whatever id, are told apart and still only looked at', async () => {
    const { id, secret } = await connected();
    const first = signDelivery('gitea', secret, { body: pushBody() });
    const again = { ...first, headers: { ...first.headers, 'x-gitea-delivery': 'another-id' } };
    const seen = [];
    for (const one of [first, again, first]) seen.push((await json(await deliver(id, one))).data.alreadySeen);
    assert.deepEqual(seen, [false, true, true]);
  });

  it('of pull requests never have anything looked at; a ping verifies the connection', async () => {
    const { id, secret } = await connected('github', { pollMinutes: 5 });
    const shown = async () => (await api.call('GET', `/git/connections/${id}`)).body.data;
    assert.deepEqual([(await shown()).verifiedAt, (await shown()).pollMinutes], [null, 5]);
    const ping = signDelivery('github', secret, { event: 'ping', body: '{"zen":"Design for failure."}' });
    assert.equal((await deliver(id, ping)).status, 202);
    assert.notEqual((await shown()).verifiedAt, null);
    assert.equal((await shown()).pollMinutes, null);
    const before = asked(id).length;
    for (const event of ['pull_request', 'pull_request_review', 'issues', 'create', 'delete']) {
      const body = pushBody({ number: 1, pull_request: { head: { ref: 'main' } } });
      assert.equal((await deliver(id, signDelivery('github', secret, { event, body }))).status, 202);
    }
    assert.equal(asked(id).length, before);
    const reasons = (await deliveriesOf(id)).map(
      ({ outcomes }: { outcomes: { reason: string }[] }) => outcomes[0]?.reason,
    );
    assert.deepEqual(new Set(reasons), new Set(['ping', 'not_a_push']));
  });

  it('about what no rule matches start nothing', async () => {
    const { id, secret } = await connected();
    for (const ref of ['refs/heads/other', 'refs/tags/v1', 'refs/pull/1/head', 'refs/heads/\u001b[31mred']) {
      assert.equal((await deliver(id, signDelivery('gitea', secret, { body: pushBody({ ref }) }))).status, 202);
    }
    assert.deepEqual(
      asked(id).filter((what) => what.startsWith('look')),
      [],
    );
    for (const delivery of await deliveriesOf(id)) assert.equal(delivery.outcomes[0].reason, 'no_rule');
  });

  it('are refused once the connection, its service, or the service’s org is gone', async () => {
    const [removed, deleted, lost] = [await connected(), await connected(), await connected()];
    await api.call('DELETE', `/git/connections/${removed.id}`);
    await api.services.remove(`svc_${deleted.service}`);
    await api.services.remove(`svc_${lost.service}`);
    await api.services.upsert({ id: `svc_${lost.service}`, name: lost.service, org: 'another' }, {});
    for (const { id, secret } of [removed, deleted, lost]) {
      assert.equal((await deliver(id, signDelivery('gitea', secret, { body: pushBody() }))).status, 401);
      assert.deepEqual(
        asked(id).filter((what) => what.startsWith('look')),
        [],
      );
    }
  });

  it('are known by either secret while they are rotated, then by the newer one alone', async () => {
    const { id, secret } = await connected();
    const rotated = await api.call('POST', `/git/connections/${id}/rotate`, {});
    const next = String(rotated.body.data.secret);
    const status = async (by: string) =>
      (await deliver(id, signDelivery('gitea', by, { body: pushBody({ by }) }))).status;
    assert.deepEqual([await status(secret), await status(next)], [202, 202]);
    assert.equal((await api.call('POST', `/git/connections/${id}/rotate`, {})).status, 409);
    assert.equal((await api.call('POST', `/git/connections/${id}/rotate`, { finish: true })).status, 200);
    assert.deepEqual([await status(secret), await status(next)], [401, 202]);
    assert.equal((await api.call('POST', `/git/connections/${id}/rotate`, { finish: true })).status, 409);
  });

  it('are known by the newer secret where a rotation ended before the hook had it: the end of the rotation gives it', async () => {
    const gitUrl = `https://git.example/acme/shop-${services + 1}.git`;
    api.gitHost.repositories.set(gitUrl, new Set());
    const { id } = await connected('gitea', { token: 'a-token' });
    const hook = () => api.gitHost.hooks().find(({ address }) => address.endsWith(id));
    const first = hook()?.secret;
    assert.ok(first !== undefined);
    api.gitHost.failure = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    const rotated = await api.call('POST', `/git/connections/${id}/rotate`, {});
    api.gitHost.failure = null;
    assert.equal(hook()?.secret, first);
    const finished = await api.call('POST', `/git/connections/${id}/rotate`, { finish: true });
    assert.deepEqual([finished.status, finished.body.data.hookProblem], [200, null]);
    assert.equal(hook()?.secret, rotated.body.data.secret);
    const push = signDelivery('gitea', String(hook()?.secret), { body: pushBody() });
    assert.equal((await deliver(id, push)).status, 202);
  });

  it('are answered 503 where what looks at pushes is away, and taken when they come again', async () => {
    const { id, secret } = await connected();
    const push = signDelivery('gitea', secret, { body: pushBody() });
    api.gitHookCommands.failure = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    assert.equal((await deliver(id, push)).status, 503);
    api.gitHookCommands.failure = null;
    assert.equal((await deliver(id, push)).status, 202);
    assert.equal(asked(id).filter((what) => what.startsWith('look')).length, 1);
  });

  it('of strangers use up nothing of the git host, at whose address they may be', async () => {
    const { id, secret } = await connected();
    const forged = signDelivery('gitea', 'not the secret of it', { body: pushBody() });
    const refused = await Promise.all(Array.from({ length: 300 }, () => deliver(id, forged)));
    assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([401]));
    assert.equal((await deliver(id, signDelivery('gitea', secret, { body: pushBody() }))).status, 202);
  });

  it('leave no secret in logs, replies or what is kept in clear', async () => {
    const { id, secret } = await connected('gitea', { secret: 'canary-secret-of-a-hook-4711' });
    assert.equal(secret, 'null');
    await deliver(id, signDelivery('gitea', 'canary-secret-of-a-hook-4711', { body: pushBody() }));
    const shown = await api.call('GET', '/git/connections?limit=200');
    const kept = JSON.stringify([await api.gitConnections.find(id), shown.body, api.audit.told()]);
    assert.ok(kept.includes(id));
    assert.ok(!(kept + api.logged.join('')).includes('canary-secret-of-a-hook'));
  });
});
