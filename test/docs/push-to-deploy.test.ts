import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LOOK_REASONS } from '../../domain/git-hooks/delivery.ts';
import { runCli } from '../cli/run-cli.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { readPage } from './read-page.ts';

const PAGE = join(import.meta.dirname, '../../docs/push-to-deploy.md');
const REPOSITORY = 'https://git.example/acme/my-app.git';

describe('docs/push-to-deploy.md', () => {
  let page: string;
  let api: TestApi;
  before(async () => {
    page = await readFile(PAGE, 'utf8');
    api = await startApi();
    api.gitHost.repositories.set(REPOSITORY, new Set());
    await api.services.upsert({ id: 'svc_app', name: 'my-app', org: 'acme' }, { gitUrl: REPOSITORY });
  });
  after(() => api.stop());

  /** Words of a line of shell, with what stands in quotes as one. */
  const wordsOf = (line: string): string[] =>
    [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);

  it('shows commands that do what it says, in the order in which it shows them', async () => {
    const lines = readPage(page)
      .flatMap(({ shell }) => shell.trim().split('\n'))
      .map((line) => line.replace(/ +#.*$/, ''));
    assert.ok(lines.length > 12);
    for (const line of lines) {
      const words = wordsOf(line);
      assert.deepEqual(words.slice(0, 3), ['npx', 'fairlead', 'git'], line);
      if (line.includes('--provider gitea --branch main') && !line.includes('--tag')) {
        // The page shows two ways to connect a repository: here the second one begins anew.
        const { items } = await api.gitConnections.list({ org: null }, { cursor: null, limit: 10 });
        for (const { id } of items) await api.gitConnections.remove(id);
      }
      const stdin = /--token|git token/.test(line) ? 'a-token-of-the-git-host' : '';
      const { code, stderr } = await runCli({ url: api.address }, words.slice(2), {
        stdin,
        env: { FAIRLEAD_KEY: KEY },
      });
      assert.equal(code, 0, `${line}\n${stderr}`);
    }
    assert.deepEqual((await api.gitConnections.list({ org: null }, { cursor: null, limit: 10 })).items, []);
  });

  it('names commands in its sentences that there are', async () => {
    const named = [...page.matchAll(/`(?:npx )?fairlead ([^`\n]+)`/g)].map(([, words = '']) => words);
    assert.ok(named.length > 4, named.join());
    for (const words of named) {
      // Up to what stands for something else, such as <address>.
      const known = words.split(' ').filter((word) => /^[a-z][a-z-]*$/.test(word));
      const { code, stdout } = await runCli({ url: api.address }, [...known, '--help']);
      assert.equal(code, 0, words);
      assert.match(stdout, new RegExp(`^Usage: fairlead ${known[0]}`), words);
    }
  });

  it('has every reason of a delivery', () => {
    const rows = [...page.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\|$/gm)].map(([, name, text]) => [name, text]);
    for (const [name, text] of Object.entries(LOOK_REASONS)) {
      assert.ok(
        rows.some((row) => row[0] === name && row[1] === text),
        name,
      );
    }
  });
});
