import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createGitHost } from '../../../adapters/git-host/git-host.ts';
import type { FairleadError } from '../../../domain/errors.ts';
import type { CommitStatus, HostedRepository } from '../../../domain/git-hooks/git-host.ts';
import { startGithub, type TestGithub } from '../../support/git-vendors/github.ts';
import type { VendorServer } from '../../support/git-vendors/vendor-server.ts';
import { PATIENCE_MS, refusedAddress, serveUpstream } from '../../support/upstream-faults.ts';

const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';
const TOKEN = 'github_pat_canary_of_this_test';
const STATUS: CommitStatus = {
  commit: COMMIT,
  state: 'success',
  context: 'fairlead/prod',
  description: 'Live',
  targetUrl: 'https://builder.example/builds/bld_1',
};
const HOOK = { address: 'https://builder.example/hooks/git/gcn_1', secret: 'canary-secret-of-the-hook' };

describe('a git host that fails', () => {
  let github: TestGithub;
  let now = new Date('2026-03-01T12:00:00Z');
  before(async () => {
    github = await startGithub({ repository: 'acme/shop', commit: COMMIT, token: TOKEN });
  });
  after(() => github.stop());
  beforeEach(() => {
    github.fault = null;
  });

  const connect = (url = github.url, timeoutMs = 60_000) => {
    const host = createGitHost({ platformGitUrl: url, now: () => now, timeoutMs });
    const repository = {
      provider: 'github',
      repositoryUrl: `${url}/acme/shop.git`,
      apiUrl: null,
      token: TOKEN,
    } as const;
    return { host, repository, setStatus: (signal?: AbortSignal) => host.setStatus(repository, STATUS, signal) };
  };
  const failureOf = async (work: Promise<unknown>): Promise<FairleadError> => {
    const error = await work.then(
      () => assert.fail('nothing failed'),
      (reason: FairleadError) => reason,
    );
    // Neither in what is shown nor in what is logged of the error and its causes.
    for (let each: unknown = error; each instanceof Error; each = each.cause) {
      assert.doesNotMatch(`${each.message} ${JSON.stringify(each)} ${String(each.stack)}`, /canary/);
    }
    return error;
  };
  type Fault = NonNullable<VendorServer['fault']>;

  const FAULTS: readonly [what: string, fault: Fault, code: string, retryable: boolean, message: RegExp][] = [
    ['an error of its own', () => ({ status: 500 }), 'UNAVAILABLE', true, /answered 500/],
    ['an error of a proxy', () => ({ status: 502 }), 'UNAVAILABLE', true, /answered 502/],
    ['a teapot', () => ({ status: 418 }), 'UNAVAILABLE', true, /answered 418/],
    [
      'a token that is not known',
      () => ({ status: 401, body: { message: `Bad ${TOKEN}` } }),
      'GIT_TOKEN_REFUSED',
      false,
      /give another/,
    ],
    [
      'a token that may not',
      () => ({ status: 403, body: { message: `Resource not accessible by ${TOKEN}\u001b[2J` } }),
      'GIT_TOKEN_REFUSED',
      false,
      /not accessible by \[redacted\] \[2J\); it needs repo/,
    ],
    ['a repository that is gone', () => ({ status: 410 }), 'NOT_FOUND', false, /no such repository/],
    [
      'a conflict',
      () => ({ status: 409, body: { message: 'x'.repeat(5_000) } }),
      'VALIDATION_FAILED',
      false,
      /^.{100,400}$/,
    ],
    [
      'a redirect to another host',
      () => ({ status: 307, headers: { location: 'https://evil.example/' } }),
      'SOURCE_REFUSED',
      false,
      /evil\.example/,
    ],
    [
      'a redirect in a circle',
      ({ path }) => ({ status: 307, headers: { location: `/api/v3${path}` } }),
      'SOURCE_REFUSED',
      false,
      /redirects more than 3 times/,
    ],
    [
      'a redirect to no address',
      () => ({ status: 301, headers: { location: 'https://[' } }),
      'SOURCE_REFUSED',
      false,
      /no address/,
    ],
  ];
  for (const [what, fault, code, retryable, message] of FAULTS) {
    it(`answers with ${what}: ${code}`, async () => {
      github.fault = fault;
      const error = await failureOf(connect().setStatus());
      assert.deepEqual([error.code, error.retryable], [code, retryable]);
      assert.match(error.message, message);
      if (retryable) assert.equal(error.system, 'git-host');
    });
  }

  const GARBAGE: readonly [what: string, status: number, text: string][] = [
    ['no JSON', 200, '<html>'],
    ['JSON of another kind', 200, '{"hooks":[]}'],
    ['a list of something else', 200, '[{"id":"seven"}]'],
    ['more entries than a page has, each of which is wrong', 200, `[${'0,'.repeat(100)}0]`],
    ['more than it may', 200, `["${'x'.repeat(4 * 1024 ** 2)}"]`],
  ];
  for (const [what, status, text] of GARBAGE) {
    it(`lists hooks as ${what}: UNAVAILABLE`, async () => {
      github.fault = (_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
        return 'answered';
      };
      const { host, repository } = connect();
      const error = await failureOf(host.findHook(repository, HOOK.address));
      assert.deepEqual([error.code, error.system], ['UNAVAILABLE', 'git-host']);
      if (what.startsWith('more entries')) assert.match(error.message, /more hooks on one page than it was asked for/);
    });
  }

  it('never stops listing: UNAVAILABLE, after a bounded number of pages', async () => {
    github.fault = () => ({ status: 200, body: [], headers: { link: '<https://x.example>; rel="next"' } });
    const { host, repository } = connect();
    const before = github.asked.length;
    assert.equal((await failureOf(host.findHook(repository, HOOK.address))).code, 'UNAVAILABLE');
    assert.equal(github.asked.length - before, 20);
  });

  it('lists one address again and again: UNAVAILABLE, and nothing is removed', async () => {
    const hooks = Array.from({ length: 50 }, (_, id) => ({ id, config: { url: HOOK.address } }));
    github.fault = ({ method }) => (method === 'GET' ? { status: 200, body: hooks } : { status: 201, body: hooks[0] });
    const { host, repository } = connect();
    const before = github.asked.length;
    const error = await failureOf(host.registerHook(repository, HOOK));
    assert.deepEqual([error.code, /more than 20 hooks/.test(error.message)], ['UNAVAILABLE', true]);
    assert.deepEqual(
      github.asked.slice(before).filter((what) => what.startsWith('DELETE')),
      [],
    );
  });

  it('repeats the secret of a hook that it refuses: nobody is told it', async () => {
    for (const secret of [HOOK.secret, 'canary"of\\a hook']) {
      github.fault = ({ method, body }) =>
        method === 'GET' ? { status: 200, body: [] } : { status: 422, body: { message: 'no', errors: [body.config] } };
      const { host, repository } = connect();
      const error = await failureOf(host.registerHook(repository, { ...HOOK, secret }));
      assert.match(error.message, /refuses a hook .*\[redacted\]/);
    }
  });

  it('is silent, stalls, dies half-way or is not there: UNAVAILABLE', async (t) => {
    const listeners: readonly [Parameters<typeof serveUpstream>[1], RegExp][] = [
      [() => undefined, /did not answer within 0\.3 s/],
      [(_request, response) => void response.writeHead(200).write('{"i'), /did not answer within 0\.3 s/],
      [(request) => void request.socket.destroy(), /cannot be reached/],
    ];
    for (const [listener, message] of listeners) {
      const patience = String(message).includes('within') ? PATIENCE_MS : undefined;
      const error = await failureOf(connect(await serveUpstream(t, listener), patience).setStatus());
      assert.equal(error.code, 'UNAVAILABLE');
      assert.match(error.message, message);
    }
    const nobody = await failureOf(connect(await refusedAddress()).setStatus());
    assert.match(nobody.message, /cannot be reached/);
  });

  it('ends a call that is aborted while it waits, with the reason', async (t) => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const url = await serveUpstream(t, () => resolve());
    const reason = new Error('cancelled');
    const abort = new AbortController();
    const outcome = assert.rejects(connect(url).setStatus(abort.signal), (error) => error === reason);
    await asked;
    abort.abort(reason);
    await outcome;
  });

  it('is asked again at the same host, as before, when it redirects', async () => {
    const seen: string[] = [];
    github.fault = ({ method, path, headers }) => {
      seen.push(`${method} ${path} ${headers.authorization === `Bearer ${TOKEN}`}`);
      return path.startsWith('/repositories/')
        ? { status: 201, body: {} }
        : { status: 307, headers: { location: '/api/v3/repositories/1' } };
    };
    await connect().setStatus();
    assert.deepEqual(seen, [`POST /repos/acme/shop/statuses/${COMMIT} true`, 'POST /repositories/1 true']);
  });

  it('is left alone for as long as it asks, and asked again then', async () => {
    const { setStatus } = connect();
    github.fault = () => ({ status: 403, headers: { 'retry-after': '90' }, body: { message: 'secondary rate limit' } });
    const error = await failureOf(setStatus());
    assert.deepEqual([error.code, error.retryable, error.details], ['RATE_LIMITED', true, { retryAfterSeconds: 90 }]);
    github.fault = null;
    const asked = github.asked.length;
    now = new Date(now.getTime() + 80_000);
    assert.deepEqual((await failureOf(setStatus())).details, { retryAfterSeconds: 10 });
    assert.equal(github.asked.length, asked, 'it was asked while it wanted to be left alone');
    now = new Date(now.getTime() + 10_000);
    await setStatus();
    assert.equal(github.asked.length, asked + 1);
  });

  it('gives no token away by an address that somebody chose', async () => {
    const { host, repository } = connect();
    const ADDRESSES: readonly [Partial<HostedRepository>, RegExp][] = [
      [{ apiUrl: 'http://evil.example/api' }, /is not https/],
      [{ apiUrl: 'nonsense' }, /is none/],
      [{ apiUrl: `${github.url}/api/v3/user?ignored=` }, /a query or a fragment/],
      [{ apiUrl: `${github.url}/api/v3/user#` }, /a query or a fragment/],
      [{ provider: 'gitlab', repositoryUrl: 'https://gitlab.example/acme/%zz' }, /names no repository/],
      [{ apiUrl: 'https://127.0.0.1/api' }, /not on the public internet/],
      [{ apiUrl: 'https://[::ffff:169.254.169.254]/api' }, /not on the public internet/],
      [{ apiUrl: 'https://me:secret@evil.example/api' }, /carries credentials/],
      [{ repositoryUrl: '/srv/acme/shop' }, /names no repository/],
      [{ repositoryUrl: 'https://github.com/acme' }, /names no repository/],
      [{ repositoryUrl: 'https://github.com/acme/shop/tree' }, /names no repository/],
    ];
    for (const [change, message] of ADDRESSES) {
      const error = await failureOf(host.setStatus({ ...repository, ...change }, STATUS));
      assert.equal(error.code, 'SOURCE_REFUSED');
      assert.match(error.message, message);
    }
    const broken = await failureOf(host.setStatus({ ...repository, token: 'canary\r\nx-evil: 1' }, STATUS));
    assert.equal(broken.code, 'GIT_TOKEN_REFUSED');
  });

  it('resolves to a private address: refused where the socket is opened', async () => {
    const lookup = async () => [{ address: '10.0.0.8' }];
    const host = createGitHost({ platformGitUrl: null, now: () => now, lookup });
    const repository = {
      provider: 'gitlab',
      repositoryUrl: 'https://git.example/a/b',
      apiUrl: null,
      token: TOKEN,
    } as const;
    const error = await failureOf(host.registerHook(repository, HOOK));
    assert.equal(error.code, 'SOURCE_REFUSED');
    assert.match(error.message, /git\.example has an address that is not on the public internet/);
  });

  it('keeps the hook of the last one when two register it at once', async () => {
    const { host, repository } = connect();
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => host.registerHook(repository, HOOK)));
    assert.ok(outcomes.some(({ status }) => status === 'fulfilled'));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.retryable, true);
    }
    assert.equal(github.hooks.length, 1);
  });
});
