import type { ConnectionView } from '../../domain/git-hooks/git-hook-schema.ts';
import { TEST_GIT_URL } from '../../infra/dev/test-variables.ts';
import { startGitea, type TestGitea } from '../support/start-gitea.ts';
import { api, createService } from './harness.ts';
import { type SampleService, sampleService } from './sample-service.ts';

/** A status of a commit, as the git host lists it. */
export interface CommitStatus {
  readonly context: string;
  readonly status: string;
  readonly target_url: string;
}

/** A service whose repository is at a real Gitea and connected, so that pushes deploy it. */
export interface PushedService extends AsyncDisposable {
  readonly gitea: TestGitea;
  readonly app: SampleService;
  readonly connection: ConnectionView;
  /** Pushes what is committed to `main`. */
  push(): Promise<void>;
  /** All that a commit was told on the line of the service, the oldest first. */
  statuses(commit: string): Promise<readonly CommitStatus[]>;
}

/** What is there before it is connected deploys nothing. */
export async function pushedService(prefix: string): Promise<PushedService> {
  await using undo = new AsyncDisposableStack();
  // The stack was started with this address as that of its git host.
  const gitea = await startGitea(process.env[TEST_GIT_URL]);
  undo.defer(() => gitea.stop());
  const dev = await gitea.createUser('dev');
  const app = undo.use(await sampleService(prefix));
  await gitea.createRepository(dev, app.name, { isPublic: true });
  const push = async (): Promise<void> => {
    const address = `${gitea.url.replace('://', `://dev:${dev.token}@`)}/dev/${app.name}.git`;
    await app.repository.git('push', '--quiet', '--force', address, 'HEAD:refs/heads/main');
  };
  await push();
  await createService(app.name, { gitUrl: `${gitea.url}/dev/${app.name}.git`, branch: 'main' });
  const body = { service: app.name, provider: 'gitea', token: dev.token };
  const made = await api<{ connection: ConnectionView }>('POST', '/git/connections', body);
  if (made.status !== 201) throw new Error(`POST /git/connections: ${JSON.stringify(made.error)}`);
  const parts = undo.move();
  return {
    gitea,
    app,
    connection: made.data.connection,
    push,
    async statuses(commit) {
      const path = `/repos/dev/${app.name}/commits/${commit}/statuses?sort=oldest&limit=50`;
      const all = (await gitea.call('GET', path)) as readonly CommitStatus[];
      return all.filter(({ context }) => context === `fairlead/${app.name}/prod`);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
