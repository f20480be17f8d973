import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createPaint, fit, printable } from '../../cli/terminal/style.ts';
import { renderTable } from '../../cli/terminal/table.ts';
import { formatAge, formatDuration } from '../../cli/terminal/times.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startOnTerminal } from './start-on-terminal.ts';
import { KEY, startTestApi, type TestApi } from './test-api.ts';
import { AT } from './test-replies.ts';

const ESC = '\u001b';

describe('terminal text', () => {
  it('durations carry their unit', () => {
    const shown = [0, 4_240, 59_900, 59_960, 65_000, 3_600_000, 7_380_000].map(formatDuration);
    assert.deepEqual(shown, ['0.0s', '4.2s', '59.9s', '1m 00s', '1m 05s', '1h 00m', '2h 03m']);
  });

  it('ages are relative to now', () => {
    const now = new Date('2026-01-10T00:00:00Z');
    const shown = [
      '2026-01-10T00:00:00Z',
      '2026-01-09T23:59:30Z',
      '2026-01-09T22:00:00Z',
      '2026-01-01T00:00:00Z',
      null,
    ];
    assert.deepEqual(
      shown.map((time) => formatAge(time, now)),
      ['now', '30s ago', '2h ago', '9d ago', ''],
    );
  });

  it('a table gives way in the columns that may shrink, and only on a terminal', () => {
    const columns = [{ title: 'NAME' }, { title: 'SOURCE', shrinks: true }, { title: 'AGE' }];
    const rows = [[{ text: 'hello' }, { text: 'https://git.example/a/very/long/address' }, { text: '3d ago' }]];
    const paint = createPaint(false);
    assert.deepEqual(renderTable(columns, rows, 32, paint), [
      'NAME   SOURCE             AGE',
      'hello  https://git.exam…  3d ago',
    ]);
    assert.ok(renderTable(columns, rows, null, paint)[1]?.includes('/long/address'));
  });

  it('a table that does not fit is a block of lines for each row, in which ids stay whole', () => {
    const columns = [{ title: 'BUILD' }, { title: 'SERVICE', shrinks: true }, { title: 'STATUS' }];
    const row = (id: string) => [{ text: id }, { text: 'a-rather-long-name' }, { text: 'completed' }];
    const rows = [row('bld_97rg3w8v15bn7hykm26n'), row('bld_ek6xb10q4n4atvh6y6g8')];
    assert.deepEqual(renderTable(columns, rows, 40, createPaint(false)), [
      'BUILD    bld_97rg3w8v15bn7hykm26n',
      'SERVICE  a-rather-long-name',
      'STATUS   completed',
      '',
      'BUILD    bld_ek6xb10q4n4atvh6y6g8',
      'SERVICE  a-rather-long-name',
      'STATUS   completed',
    ]);
  });

  it('text from elsewhere cannot steer the terminal', () => {
    assert.equal(printable(`a${ESC}[2Jb${ESC}]0;title\u0007c\rd\te\u009b1m`).includes(ESC), false);
    assert.equal(printable('a\tb\u0007'), 'a  b');
    assert.equal(printable('ok\u202e3202\u2066'), 'ok3202');
    assert.equal(fit('abcdef', 4), 'abc…');
  });
});

describe('a deploy on a terminal', () => {
  let api: TestApi;
  let folder: string;
  before(async () => {
    api = await startTestApi();
    folder = mkdtempSync(join(tmpdir(), 'fairlead-terminal-'));
    writeFileSync(join(folder, 'package.json'), '{"name":"hello"}');
  });
  after(async () => {
    await api.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => api.builds.clear());

  const onTerminal = (args: string) => startOnTerminal({ FAIRLEAD_URL: api.url, FAIRLEAD_KEY: KEY }, args);

  it('shows the running step with its log, then one line for each step, and gives the cursor back', async () => {
    api.onBuild = ({ id }) => {
      api.step(id, 'image-build', { state: 'running', startedAt: AT });
      api.log(id, 'image-build', 'npm ci');
    };
    const run = onTerminal(`deploy ${folder}`);
    await waitUntil('the running step', () => /⠙.*Build image/.test(run.text()) && run.text().includes('    npm ci'));
    api.step('bld_1', 'image-build', { state: 'completed', startedAt: AT, finishedAt: AT });
    api.finish('bld_1', { status: 'completed', url: 'http://hello.localhost:8000', finishedAt: AT });
    assert.equal(await run.done, 0);
    assert.match(stripVTControlCharacters(run.text()), /✓ Build image {2}0\.0s/);
    assert.equal(run.text().lastIndexOf(`${ESC}[?25l`) < run.text().lastIndexOf(`${ESC}[?25h`), true);
  });

  it('Ctrl-C gives the cursor back, leaves the build alone and exits 130', async () => {
    api.onBuild = ({ id }) => api.log(id, 'source', 'first line');
    const run = onTerminal(`deploy ${folder}`);
    await waitUntil('the first line', () => run.text().includes('first line'));
    run.type('\u0003');
    assert.equal(await run.done, 130);
    assert.match(stripVTControlCharacters(run.text()), /Stopped following bld_1; the build continues\./);
    assert.ok(run.text().lastIndexOf(`${ESC}[?25h`) > run.text().lastIndexOf(`${ESC}[?25l`));
  });

  it('a secret is asked for without echo', async () => {
    const canary = 'canary-8812-otter';
    api.requests.length = 0;
    const run = onTerminal(`deploy ${folder} --detach --secret TOKEN`);
    await waitUntil('the prompt', () => run.text().includes('TOKEN (not shown): '));
    run.type(`${canary}x\u007f\r`);
    assert.equal(await run.done, 0);
    assert.ok(!run.text().includes(canary));
    const registered = api.requests.find(({ route }) => route === 'POST /services')?.body.toString() ?? '';
    assert.deepEqual(JSON.parse(registered).secrets, { TOKEN: canary });
  });
});
