import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { statesOf } from '../../domain/custom-domains/state-table.ts';
import { runCli } from '../cli/run-cli.ts';
import { INGRESS } from '../support/custom-domains-parts.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { readPage } from './read-page.ts';

const PAGE = join(import.meta.dirname, '../../docs/domains.md');

describe('docs/domains.md', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  });
  after(() => api.stop());

  it('shows commands that do what it says, in the order in which it shows them', async () => {
    const steps = readPage(await readFile(PAGE, 'utf8'));
    const lines = steps.flatMap(({ shell }) => shell.trimEnd().split('\n'));
    assert.ok(lines.length >= 6);
    // The record that the first command asks for.
    api.names.dns.lead('shop.example.com', { type: 'A', content: INGRESS });
    const said: string[] = [];
    for (const line of lines) {
      const words = line.split(' ').slice(2);
      const { code, stdout, stderr } = await runCli({ url: api.address }, words, { env: { FAIRLEAD_KEY: KEY } });
      assert.equal(code, 0, `${line}\n${stdout}${stderr}`);
      said.push(stdout);
    }
    for (const words of [/shop\.example\.com of shop \(prod\): active/, /is served/, /is removed/]) {
      assert.match(said.join('\n'), words);
    }
  });

  it('explains every state that a name waits in', async () => {
    const page = await readFile(PAGE, 'utf8');
    for (const state of [...statesOf('direct'), ...statesOf('cloudflare')])
      assert.ok(page.includes(`\`${state}\``), state);
  });
});
