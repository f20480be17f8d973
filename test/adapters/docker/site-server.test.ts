import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { nginxProgram } from '../../../adapters/docker/stand-ins/nginx-root.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { nginxConf } from '../../../domain/deploys/container-file/nginx-conf.ts';
import { freePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { cacheDirectory } from './engine-fixture.ts';

/** A site with pages beside folders of their names, and folders with and without a page of their own. */
const SITE: Readonly<Record<string, string>> = {
  'index.html': 'home',
  '404.html': 'nothing here',
  'about.html': 'about',
  'blog.html': 'the blog',
  'blog/first.html': 'first post',
  'docs/index.html': 'docs',
  'both.html': 'the page',
  'both/index.html': 'the folder',
  'files/a.txt': 'text',
  'app.mjs': 'code',
  '.settings': 'hidden',
  '.well-known/security.txt': 'contact',
};

type Answers = Readonly<Record<string, string>>;

/** Status and text, or address that is led to, by path. */
const OF_PAGES: Answers = {
  '/': '200 home',
  '/about': '200 about',
  '/blog': '200 the blog',
  '/blog/': '200 the blog',
  '/blog/first': '200 first post',
  '/docs': '301 /docs/',
  '/docs/': '200 docs',
  '/both': '200 the page',
  '/both/': '200 the folder',
  '/files/': '404 nothing here',
  '/files/a.txt': '200 text',
  '/none': '404 nothing here',
  '/none/': '404 nothing here',
  '/.settings': '404 nothing here',
  '/.well-known/security.txt': '200 contact',
};
const OF_ONE_PAGE: Answers = {
  '/': '200 home',
  '/orders/7': '200 home',
  '/orders/': '200 home',
  '/blog': '200 the blog',
  '/blog/': '200 the blog',
  '/docs/': '200 docs',
  '/files/': '200 home',
  '/app.mjs': '200 code',
};

describe('the web server of static sites, as nginx reads its configuration', () => {
  let folder: string;
  let nginx: Awaited<ReturnType<typeof nginxProgram>>;
  const env = baseEnv(process.env);

  before(async () => {
    nginx = await nginxProgram({ cacheDirectory, env, signal: new AbortController().signal });
    folder = await mkdtemp(join(tmpdir(), 'fairlead-site-'));
    for (const [path, text] of Object.entries(SITE)) {
      await mkdir(dirname(join(folder, 'site', path)), { recursive: true });
      await writeFile(join(folder, 'site', path), text);
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Starts nginx with our configuration, whose folders are those of this test. */
  async function serve(singlePage: boolean): Promise<AsyncDisposable & { readonly address: string }> {
    const port = await freePort();
    const text = nginxConf({ port, healthEndpoint: '/health', singlePage })
      .replaceAll('/tmp/', `${folder}/`)
      .replaceAll('/etc/nginx/', `${nginx.root}/etc/nginx/`)
      .replaceAll('/usr/share/nginx/html', `${folder}/site`)
      .replace('access_log /dev/stdout', 'access_log off')
      .replace(`listen ${port}`, `listen 127.0.0.1:${port}`);
    const conf = join(folder, `${port}.conf`);
    await writeFile(conf, text);
    await writeFile(join(folder, 'health.json'), '{"status":"ok"}');
    // Started by root, it would read as another user.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const child = spawn(nginx.program, ['-c', conf, '-e', 'stderr', '-g', `daemon off; ${user}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...env, LD_LIBRARY_PATH: nginx.libraryFolders.join(':') },
    });
    const address = `http://127.0.0.1:${port}`;
    const answers = async () => (await fetch(`${address}/health`).catch(() => null))?.ok === true;
    try {
      await waitUntil('nginx answers', answers, { withinMs: 30_000 });
    } catch (error) {
      await end(child);
      throw error;
    }
    return { address, [Symbol.asyncDispose]: () => end(child) };
  }

  for (const [what, singlePage, answers] of [
    ['of several pages', false, OF_PAGES],
    ['of one page', true, OF_ONE_PAGE],
  ] as const) {
    it(`a site ${what} answers each path with its file, its page or what is missing`, async () => {
      await using served = await serve(singlePage);
      const found: Record<string, string> = {};
      for (const path of Object.keys(answers)) {
        const answer = await fetch(served.address + path, { redirect: 'manual' });
        found[path] = `${answer.status} ${answer.headers.get('location') ?? (await answer.text())}`;
      }
      assert.deepEqual(found, answers);
      const missing = await fetch(`${served.address}/missing.js`);
      assert.equal(missing.status, 404);
      const script = await fetch(`${served.address}/app.mjs`);
      assert.equal(script.headers.get('content-type'), 'text/javascript');
    });
  }
});

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
