import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createArchiveStore } from '../../../adapters/archives/archive-store.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { createConnectionTokens } from '../../../adapters/git/connection-tokens.ts';
import { createSourceFetcher } from '../../../adapters/git/git-source-fetcher.ts';
import { createRefReader } from '../../../adapters/git/ref-reader.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { type GitOwner, parseGitOwner } from '../../../domain/deploys/git-credential.ts';
import { sealingContext, TOKEN_KEY } from '../../../domain/git-hooks/connection.ts';
import { connectionRecord } from '../../ports/git-hooks/records.ts';
import { createInMemoryGitConnectionStore } from '../../support/in-memory/git-hook-stores.ts';
import { type GiteaUser, giteaMissing, startGitea, type TestGitea } from '../../support/start-gitea.ts';

const never = new AbortController().signal;

/** Two orgs that do not trust each other, each with a private repository, and a GIT_TOKEN whose account reads both. */
describe('GIT_TOKEN at a real Gitea', { skip: await giteaMissing() }, () => {
  let gitea: TestGitea;
  let folder = '';
  let ada: GiteaUser;
  const commits: Record<string, string> = {};
  const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
  const connections = createInMemoryGitConnectionStore();

  before(async () => {
    gitea = await startGitea();
    folder = await mkdtemp(join(tmpdir(), 'token-of-org-'));
    ada = await gitea.createUser('ada');
    for (const org of ['acme', 'beta']) {
      await gitea.call('POST', '/orgs', { username: org, visibility: 'private' });
      commits[org] = (await gitea.createRepository(gitea.admin, 'app', { org })).commit;
    }
    await gitea.call('POST', '/orgs', { username: 'open' });
    await gitea.createRepository(gitea.admin, 'app', { org: 'open', isPublic: true });
    commits.ada = (await gitea.createRepository(ada, 'tools')).commit;
  });
  after(async () => {
    await gitea?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const addressOf = (path: string): string => `${gitea.url}/${path}`;
  const target = (): string => join(folder, 'workspace');
  const sources = (gitOwners: readonly GitOwner[] = []) => {
    const tokens = { gitToken: gitea.admin.token, githubToken: null, gitOwners };
    const repositoryTokens = createConnectionTokens({ connections, cipher, platformGitUrl: gitea.url });
    const options = { ...tokens, repositoryTokens, gitUrl: gitea.url, localSourcesRoot: null };
    const env = baseEnv(process.env);
    const archives = createArchiveStore({ directory: join(folder, 'archives'), newId });
    return {
      fetcher: createSourceFetcher({ ...options, env, archives }),
      reader: createRefReader({ ...options, env }),
    };
  };
  /** All ways in which a repository is read for an org. */
  const reads = (org: string, url: string, commit: string): Readonly<Record<string, () => Promise<unknown>>> => {
    const { fetcher, reader } = sources();
    const repository = { url, org };
    const source = { kind: 'git', url, branch: null, commit: null } as const;
    const context = { org, signal: never, onLine: () => undefined };
    return {
      clone: () => fetcher.fetch(source, target(), context),
      'clone of a commit': () => fetcher.fetch({ ...source, branch: 'main', commit }, target(), context),
      'head of a branch': () => fetcher.resolveHead(repository, 'main', never),
      'subjects of commits': () =>
        fetcher.commitSubjects({ ...repository, since: null, until: commit, limit: 2 }, never),
      heads: () => reader.readRefs(repository, never),
      message: () => reader.readMessage(repository, commit, never),
      changes: () => reader.hasChanged({ ...repository, base: commit, head: commit, paths: ['**'] }, never),
    };
  };

  it('an org reads its own repository in every way, and that of another org in none', async () => {
    for (const [org, other] of [
      ['acme', 'beta'],
      ['beta', 'acme'],
    ] as const) {
      const own = reads(org, addressOf(`${org}/app.git`), commits[org] ?? '');
      for (const [way, read] of Object.entries(own)) await assert.doesNotReject(read(), `${org}: ${way}`);
      assert.match(await readFile(join(target(), 'README.md'), 'utf8'), /app/);
      const foreign = reads(org, addressOf(`${other}/app.git`), commits[other] ?? '');
      for (const [way, read] of Object.entries(foreign)) {
        const message = new RegExp(
          `GIT_TOKEN is not sent .*git connect.*${org}=127\\.0\\.0\\.1:\\d+/${other} to GIT_OWNERS`,
        );
        await assert.rejects(read(), { code: 'SOURCE_REFUSED', retryable: false, message }, `${org}: ${way}`);
      }
    }
  });

  it('no spelling of the address reaches the repository of another org', async () => {
    for (const path of [
      ...['beta/app', 'BETA/app.git', 'acme/../beta/app', 'acme/%2e%2e/beta/app', 'acme/..%2fbeta/app.git'],
      ...['acme%2f..%2fbeta/app', 'acme/..%5cbeta/app', 'acme//../beta/app', 'acme/./../beta/app/', '%62eta/app'],
    ]) {
      const { fetcher } = sources();
      await assert.rejects(
        fetcher.resolveHead({ url: addressOf(path), org: 'acme' }, null, never),
        (error: { code?: string }) => error.code === 'SOURCE_REFUSED' || error.code === 'SOURCE_MISSING',
        path,
      );
    }
  });

  it('a repository that went to another org is not read by its old address', async () => {
    await gitea.createRepository(gitea.admin, 'moved', { org: 'acme' });
    await gitea.call('POST', '/repos/acme/moved/transfer', { new_owner: 'beta' });
    const { fetcher } = sources();
    await assert.rejects(fetcher.resolveHead({ url: addressOf('acme/moved.git'), org: 'acme' }, null, never), {
      code: 'SOURCE_REFUSED',
    });
    await fetcher.resolveHead({ url: addressOf('beta/moved.git'), org: 'beta' }, null, never);
  });

  it('public repositories are read for every org, and for a service that is gone', async () => {
    for (const org of ['acme', 'beta', null]) {
      const { fetcher } = sources();
      assert.equal((await fetcher.resolveHead({ url: addressOf('open/app.git'), org }, null, never)).branch, 'main');
      const removed = fetcher.resolveHead({ url: addressOf('acme/app.git'), org: null }, null, never);
      await assert.rejects(removed, { code: 'SOURCE_REFUSED' });
    }
  });

  it('GIT_OWNERS gives an owner to an org, and to no other', async () => {
    const { fetcher } = sources([parseGitOwner(`acme=${new URL(gitea.url).host}/ada`) ?? assert.fail()]);
    const url = addressOf('ada/tools.git');
    assert.equal((await fetcher.resolveHead({ url, org: 'acme' }, null, never)).commit, commits.ada);
    await assert.rejects(fetcher.resolveHead({ url, org: 'beta' }, null, never), { code: 'SOURCE_REFUSED' });
  });

  it('the token of a connection opens that repository to its org alone, and while the connection is there', async () => {
    const url = addressOf('ada/tools.git');
    const id = 'gcn_ada';
    const sealed = cipher.seal(ada.token, sealingContext(id, TOKEN_KEY));
    const repository = { repository: url, repositoryKey: url.replace(/\.git$/, '') };
    await connections.insert(connectionRecord({ id, org: 'acme', ...repository, token: sealed }));
    for (const [way, read] of Object.entries(reads('acme', url, commits.ada ?? ''))) {
      await assert.doesNotReject(read(), way);
    }
    await gitea.createRepository(ada, 'other');
    const refused = { code: 'SOURCE_REFUSED' };
    const { fetcher } = sources();
    await assert.rejects(fetcher.resolveHead({ url, org: 'beta' }, null, never), refused);
    await assert.rejects(fetcher.resolveHead({ url: addressOf('ada/other'), org: 'acme' }, null, never), refused);
    await gitea.call('POST', '/orgs/beta/repos', { name: 'tools', auto_init: true, private: true });
    await assert.rejects(fetcher.resolveHead({ url: addressOf('beta/tools'), org: 'acme' }, null, never), refused);
    await connections.remove(id);
    await assert.rejects(fetcher.resolveHead({ url, org: 'acme' }, null, never), refused);
  });

  it('says so when the token of a connection is not accepted', async () => {
    const url = addressOf('ada/tools.git');
    const id = 'gcn_old';
    const sealed = cipher.seal('revoked-canary', sealingContext(id, TOKEN_KEY));
    const repository = { repository: url, repositoryKey: url.replace(/\.git$/, '') };
    await connections.insert(connectionRecord({ id, org: 'acme', ...repository, token: sealed }));
    const message = /does not accept the token of its connection/;
    await assert.rejects(sources().fetcher.resolveHead({ url, org: 'acme' }, null, never), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(!JSON.stringify([error, error.message, error.stack]).includes('revoked-canary'));
      return true;
    });
    await connections.remove(id);
  });
});
