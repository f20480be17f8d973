import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { z } from 'zod';
import type { ConnectionView, deliveryViewSchema } from '../../domain/git-hooks/git-hook-schema.ts';
import { TEST_GIT_URL } from '../../infra/dev/test-variables.ts';
import { type GiteaUser, giteaMissing, startGitea, type TestGitea } from '../support/start-gitea.ts';
import { waitUntil } from '../support/wait-until.ts';
import { api, completed, createService, getBuild, visit } from './harness.ts';
import { buildsOf, type SampleService, sampleService } from './sample-service.ts';

type DeliveryView = z.output<typeof deliveryViewSchema>;

interface Status {
  readonly context: string;
  readonly status: string;
  readonly target_url: string;
}

/** From a push to a real Gitea until the service answers and the commit shows it. */
describe('a push to a git host', { skip: await giteaMissing(), timeout: 800_000 }, () => {
  let gitea: TestGitea;
  let dev: GiteaUser;
  let app: SampleService;
  let connection: ConnectionView;
  let hookId = 0;
  before(async () => {
    // The stack was started with this address as that of its git host.
    gitea = await startGitea(process.env[TEST_GIT_URL]);
    dev = await gitea.createUser('dev');
    app = await sampleService('pushed');
    await gitea.createRepository(dev, app.name, { isPublic: true });
    await push();
    await createService(app.name, { gitUrl: `${gitea.url}/dev/${app.name}.git`, branch: 'main' });
  });
  after(async () => {
    await app?.[Symbol.asyncDispose]();
    await gitea?.stop();
  });

  const push = (...flags: readonly string[]): Promise<string> => {
    const address = `${gitea.url.replace('://', `://dev:${dev.token}@`)}/dev/${app.name}.git`;
    return app.repository.git('push', '--quiet', '--force', ...flags, address, 'HEAD:refs/heads/main');
  };
  const ofRepository = <T>(path: string, method = 'GET'): Promise<T> =>
    gitea.call(method, `/repos/dev/${app.name}${path}`) as Promise<T>;
  const statusOf = async (commit: string): Promise<Status | undefined> =>
    (await ofRepository<{ statuses: Status[] | null }>(`/commits/${commit}/status`)).statuses?.find(
      ({ context }) => context === `fairlead/${app.name}/prod`,
    );
  const deliveries = async (): Promise<DeliveryView[]> =>
    (await api<{ items: DeliveryView[] }>('GET', `/git/connections/${connection.id}/deliveries`)).data.items;
  const buildOf = (commit: string) =>
    waitUntil(`a build of ${commit}`, async () => {
      const found = await buildsOf(app.name);
      return found.find(({ source }) => source.kind === 'git' && source.commit === commit);
    });
  const shows = (commit: string, state: string) =>
    waitUntil(`${commit} shows ${state}`, async () => (await statusOf(commit).catch(() => null))?.status === state, {
      everyMs: 250,
    });
  /** Until the service answers with a commit, and the commit says so. */
  async function isLive(commit: string) {
    const build = await completed((await buildOf(commit)).id);
    assert.equal(JSON.parse((await visit(app.name)).body).commit, commit);
    await shows(commit, 'success');
    return build;
  }

  it('is told by a hook that connecting registers, once', async () => {
    const body = { service: app.name, provider: 'gitea', token: dev.token };
    const made = await api<{ connection: ConnectionView; secret: null; hookProblem: null }>(
      'POST',
      '/git/connections',
      body,
    );
    assert.equal(made.status, 201, JSON.stringify(made.error));
    ({ connection } = made.data);
    assert.deepEqual([connection.hookRegistered, made.data.secret, made.data.hookProblem], [true, null, null]);
    await api('POST', '/git/connections', body);
    const hooks = await ofRepository<{ id: number; config: { url: string }; events: string[] }[]>('/hooks');
    assert.deepEqual(
      hooks.map(({ config, events }) => [config.url, events]),
      [[connection.hookUrl, ['push']]],
    );
    hookId = hooks[0]?.id ?? 0;
    assert.doesNotMatch(JSON.stringify([made, await api('GET', '/git/connections')]), new RegExp(dev.token));
  });

  it('deploys its head, which goes live, and the commit leads to it', async () => {
    const commit = await app.commit({ says: 'pushed' });
    await push();
    const build = await isLive(commit);
    assert.equal((await statusOf(commit))?.target_url, build.url);
    assert.equal(build.requestedBy, 'git:dev');
  });

  it('that takes commits back deploys the head that is there then', async () => {
    const first = await app.repository.git('rev-parse', 'HEAD');
    const second = await app.commit({ says: 'a mistake' });
    await push();
    await isLive(second);
    await app.repository.git('reset', '--quiet', '--hard', first);
    await push();
    await waitUntil(
      'the service is back at the first commit',
      async () => JSON.parse((await visit(app.name)).body).commit === first,
    );
    await shows(first, 'success');
  });

  it('that is delivered again deploys nothing', async () => {
    const [builds, told] = [await buildsOf(app.name), await deliveries()];
    assert.ok(builds.every(({ finishedAt }) => finishedAt !== null));
    await ofRepository(`/hooks/${hookId}/tests`, 'POST');
    const again = await waitUntil('the delivery is decided', async () => {
      const fresh = (await deliveries()).filter(({ id }) => told.every((each) => each.id !== id));
      return fresh.find(({ state }) => state === 'decided');
    });
    assert.deepEqual(
      again.outcomes.map(({ reason }) => reason),
      ['unchanged'],
    );
    assert.deepEqual(
      (await buildsOf(app.name)).map(({ id }) => id),
      builds.map(({ id }) => id),
    );
  });

  it('goes live while the host dies, and the commit shows it once the host is back', async () => {
    const commit = await app.commit({ instructions: 'RUN sleep 3', says: 'while the host is away' });
    await push();
    const { id } = await buildOf(commit);
    await waitUntil('the source is fetched', async () =>
      (await getBuild(id)).steps.some(({ key, state }) => key === 'source' && state === 'completed'),
    );
    await gitea.kill();
    try {
      await completed(id);
      assert.equal(JSON.parse((await visit(app.name)).body).commit, commit);
    } finally {
      await gitea.restart();
    }
    await shows(commit, 'success');
    assert.equal(
      (await buildsOf(app.name)).filter(({ source }) => source.kind === 'git' && source.commit === commit).length,
      1,
    );
  });
});
