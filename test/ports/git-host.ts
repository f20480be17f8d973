import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommitState, GitHost, HostedRepository, PushedHead } from '../../domain/git-hooks/git-host.ts';

/** A git host to look at, with a repository of at least one commit and without hooks or statuses. */
export interface GitHostUnderTest {
  readonly host: GitHost;
  readonly repository: HostedRepository;
  /** A commit of the repository. */
  readonly commit: string;
  /** What people see on a commit: as in `fairlead/prod success`, one line for each context, sorted. */
  statuses(): Promise<readonly string[]>;
  /** Addresses of the hooks of the repository, sorted. */
  hooks(): Promise<readonly string[]>;
  /** Has two accounts push, the second one a head that is told with its account. */
  push(): Promise<PushedHead & { readonly accountId: string }>;
  /** The description that people see on a context. */
  description(context: string): Promise<string>;
}

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const NO_COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** What every {@link GitHost} guarantees. `hooksAt`: addresses that the host would deliver to. */
export function gitHostSuite(
  create: () => Promise<GitHostUnderTest>,
  { hooksAt = 'https://builder.example/hooks/git' }: { readonly hooksAt?: string } = {},
): void {
  describe('GitHost', () => {
    const status = (
      under: GitHostUnderTest,
      state: CommitState,
      context = 'fairlead/prod',
      description = 'A build',
    ) => {
      const targetUrl = 'https://builder.example/builds/bld_1';
      return under.host.setStatus(under.repository, { commit: under.commit, state, context, description, targetUrl });
    };

    it('shows the last status of each context', async () => {
      const under = await create();
      await status(under, 'pending');
      await status(under, 'failure', 'fairlead/uat');
      await status(under, 'success');
      assert.deepEqual(await under.statuses(), ['fairlead/prod success', 'fairlead/uat failure']);
    });

    it('takes a status twice as once, and one again after the end', async () => {
      const under = await create();
      for (const state of ['pending', 'pending', 'failure', 'failure', 'pending', 'success'] as const) {
        await status(under, state);
      }
      assert.deepEqual(await under.statuses(), ['fairlead/prod success']);
    });

    it('takes every state, and a description of any length', async () => {
      const under = await create();
      for (const state of ['pending', 'success', 'failure', 'error'] as const) {
        await status(under, state, `fairlead/${state}`, 'Ein Maß '.repeat(400));
        assert.match(await under.description(`fairlead/${state}`), /^Ein Maß Ein Maß/);
      }
    });

    it('has no commit that is not in the repository', async () => {
      const under = await create();
      const missing = { commit: NO_COMMIT, state: 'success', context: 'x', description: '', targetUrl: null } as const;
      await assert.rejects(under.host.setStatus(under.repository, missing), { code: 'COMMIT_NOT_FOUND' });
    });

    it('registers one hook for an address, however often, and others beside it', async () => {
      const under = await create();
      const [one, two] = [`${hooksAt}/gcn_1`, `${hooksAt}/gcn_2`];
      const first = await under.host.registerHook(under.repository, { address: one, secret: SECRET });
      const again = await under.host.registerHook(under.repository, {
        address: one,
        secret: `${SECRET.slice(0, -2)}0=`,
      });
      const other = await under.host.registerHook(under.repository, { address: two, secret: SECRET });
      assert.deepEqual(await under.host.findHook(under.repository, one), { hookId: again.hookId });
      assert.deepEqual(await under.host.findHook(under.repository, two), { hookId: other.hookId });
      assert.deepEqual([first.proof, again.proof], ['signature', 'signature']);
      assert.deepEqual(await under.hooks(), [one, two]);
    });

    it('finds a hook by its address', async () => {
      const under = await create();
      const address = `${hooksAt}/gcn_1`;
      assert.equal(await under.host.findHook(under.repository, address), null);
      const { hookId } = await under.host.registerHook(under.repository, { address, secret: SECRET });
      assert.deepEqual(await under.host.findHook(under.repository, address), { hookId });
      assert.equal(await under.host.findHook(under.repository, `${address}0`), null);
    });

    it('removes the hook of an address, also one that is gone, and no other', async () => {
      const under = await create();
      const [gone, kept] = [`${hooksAt}/1`, `${hooksAt}/12`];
      for (const address of [gone, kept]) await under.host.registerHook(under.repository, { address, secret: SECRET });
      await under.host.removeHook(under.repository, gone);
      await under.host.removeHook(under.repository, gone);
      assert.deepEqual(await under.hooks(), [kept]);
    });

    it('tells which account pushed a head, and nothing of a head that nobody pushed there', async () => {
      const under = await create();
      const { accountId, ref, commit } = await under.push();
      const pusher = (head: PushedHead) => under.host.findPusher(under.repository, head);
      assert.equal(await pusher({ ref, commit }), accountId);
      assert.equal(await pusher({ ref: 'refs/heads/other', commit }), null);
      assert.equal(await pusher({ ref: 'main', commit }), null);
      assert.equal(await pusher({ ref, commit: NO_COMMIT }), null);
      const stranger = { ...under.repository, token: 'canary0canary0canary0canary0canary0canary' };
      await assert.rejects(under.host.findPusher(stranger, { ref, commit }), { code: 'GIT_TOKEN_REFUSED' });
    });

    it('takes no token that it does not know, and says nothing of it', async () => {
      const under = await create();
      const stranger = { ...under.repository, token: 'canary0canary0canary0canary0canary0canary' };
      await assert.rejects(under.host.findHook(stranger, hooksAt), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'GIT_TOKEN_REFUSED');
        assert.doesNotMatch(`${error.message} ${error.stack} ${JSON.stringify(error)}`, /canary/);
        return true;
      });
    });

    it('has no repository that is not there', async () => {
      const under = await create();
      const repositoryUrl = under.repository.repositoryUrl.replace(/(\.git)?$/, '-gone$1');
      const gone = { ...under.repository, repositoryUrl };
      const hook = { address: hooksAt, secret: SECRET };
      await assert.rejects(under.host.registerHook(gone, hook), { code: 'NOT_FOUND' });
      await assert.rejects(under.host.findHook(gone, hooksAt), { code: 'NOT_FOUND' });
      await assert.rejects(
        under.host.setStatus(gone, {
          commit: under.commit,
          state: 'success',
          context: 'x',
          description: '',
          targetUrl: null,
        }),
        { code: 'NOT_FOUND' },
      );
    });

    it('does nothing any more when it is aborted', async () => {
      const under = await create();
      const reason = new Error('cancelled');
      const hook = { address: hooksAt, secret: SECRET };
      await assert.rejects(
        under.host.registerHook(under.repository, hook, AbortSignal.abort(reason)),
        (error) => error === reason,
      );
      assert.deepEqual(await under.hooks(), []);
    });
  });
}
