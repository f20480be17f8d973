import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../cli/run-cli.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { startRegistry } from '../support/start-registry.ts';
import { readPage } from './read-page.ts';

const DOCS = join(import.meta.dirname, '../../docs');

/** The lines of the shell blocks of a page, without their comments. */
async function linesOf(page: string): Promise<readonly string[]> {
  const steps = readPage(await readFile(join(DOCS, page), 'utf8'));
  return steps.flatMap(({ shell }) => shell.trimEnd().split('\n')).map((line) => line.replace(/ +#.*$/, ''));
}

describe('docs/your-service.md', () => {
  let api: TestApi;
  let grant: string;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_notes', name: 'notes', org: 'writers' }, {});
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'shopkeepers' }, {});
    const { code, stdout, stderr } = await run(['grants', 'request', 'notes', 'read', '--service', 'shop', '--json']);
    assert.equal(code, 0, stderr);
    grant = JSON.parse(stdout).data.id;
  });
  after(() => api.stop());

  const run = (words: readonly string[]) => runCli({ url: api.address }, words, { env: { FAIRLEAD_KEY: KEY } });

  it('shows commands of grants and of orgs that do what it says, in the order in which it shows them', async (t) => {
    const lines = await linesOf('your-service.md');
    assert.ok(lines.length >= 8);
    const said: string[] = [];
    const send = globalThis.fetch;
    for (const line of lines) {
      // The key takes no org out: an admin of the owner does.
      const by: Record<string, string> = line.includes('deauthorize-org') ? { 'x-test-user': 'writers/admin' } : {};
      t.mock.method(globalThis, 'fetch', (url: URL, init: RequestInit) =>
        send(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...by } }),
      );
      assert.match(line, /^npx fairlead (?:grants|services) /);
      const words = line.replace('sgr_…', grant).split(' ').slice(2);
      // A person answers the question.
      const asks = /grants (?:approve|revoke)/.test(line) ? ['--yes'] : [];
      const { code, stdout, stderr } = await run([...words, ...asks]);
      assert.equal(code, 0, `${line}\n${stderr}`);
      said.push(stdout);
    }
    for (const words of [/notes:read/, /is approved/, /is revoked/, /helpers is authorized for notes/, /authorized/]) {
      assert.match(said.join('\n'), words);
    }
    assert.match((await run(['services', 'authorized-orgs', 'notes'])).stdout, /No other org/);
  });
});

describe('docs/registry.md', () => {
  it('shows how a changelog of a package is published, and that it is there', async (t) => {
    const registry = await startRegistry();
    t.after(() => registry.stop());
    const said: string[] = [];
    for (const line of await linesOf('registry.md')) {
      const [, notes = '', command = ''] = /^(?:echo '([^']*)' \| )?fairlead (.*)$/.exec(line) ?? [];
      const { code, stdout, stderr } = await runCli({ url: 'http://127.0.0.1:1' }, command.split(' '), {
        stdin: `${notes}\n`,
        env: { FAIRLEAD_KEY: KEY, FAIRLEAD_REGISTRY_URL: registry.address },
      });
      assert.equal(code, 0, `${line}\n${stderr}`);
      said.push(stdout);
    }
    assert.match(said[1] ?? '', /@acme\/lib +1\.2\.0 .*verify\(\) takes a list of audiences/);
  });
});
