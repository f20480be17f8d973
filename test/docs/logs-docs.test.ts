import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';
import { openPartLog } from '../../adapters/log-files/part-log.ts';
import { partLogFolder } from '../../adapters/log-files/part-log-folder.ts';
import { createPlatformLogs } from '../../adapters/log-files/platform-logs.ts';
import { createServiceLogs } from '../../adapters/log-files/service-logs.ts';
import { LOG_ROTATION } from '../../domain/logs/rotation.ts';
import { createTokenVerifier } from '../../sdk/index.ts';
import { runCli, startCli } from '../cli/run-cli.ts';
import { serviceLogLine } from '../ports/service-logs.ts';
import { AUDIENCE, type Provider, startProvider } from '../sdk/auth/test-provider.ts';
import { createInMemoryBuilderParts } from '../support/in-memory/builder-parts.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { readPage } from './read-page.ts';

const PAGE = join(import.meta.dirname, '../../docs/logs.md');
const run = promisify(execFile);

let api: TestApi;
let provider: Provider;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-logs-docs-'));
  provider = await startProvider();
  const verifier = createTokenVerifier({ idpUrl: provider.url, audience: AUDIENCE, revocations: { internalKey: 'x' } });
  api = await startApi({ verifier, issuer: provider.url }, null, {
    ...createInMemoryBuilderParts(),
    serviceLogs: createServiceLogs({ directory: join(folder, 'service-logs') }),
    platformLogs: createPlatformLogs({ directory: join(folder, 'logs') }),
  });
  await api.services.upsert({ id: 'svc_my', name: 'my-app', org: 'acme' }, {});
  const writer = await api.serviceLogs.takeOver();
  const log = await writer.open({ serviceId: 'svc_my', environment: 'prod' });
  await log.append([
    serviceLogLine('{"level":"warn","msg":"slow"}'),
    serviceLogLine('a timeout of the first day', { at: '2026-01-01T12:00:00.000000000Z' }),
    serviceLogLine('on standard error', { stream: 'error', at: `${new Date().toISOString().slice(0, -1)}000000Z` }),
  ]);
  for (const part of ['api', 'worker']) {
    for (const stream of ['out', 'error'] as const) {
      const path = partLogFolder(join(folder, 'logs'), { part, stream });
      assert.ok(path);
      const partLog = openPartLog(path, { rotation: LOG_ROTATION, now: () => new Date(), secrets: [] });
      partLog.write(Buffer.from(`{"level":"warn","time":"2026-01-01T00:00:00Z","msg":"of ${part} ${stream}"}\n`));
    }
  }
});
after(async () => {
  await api.stop();
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What a line of the page prints; one that follows is ended by Ctrl-C once it has printed something. */
async function saidBy(line: string): Promise<string> {
  const env = { FAIRLEAD_KEY: KEY };
  const [, command] = /^fairlead (.*)$/.exec(line) ?? [];
  if (command === undefined) {
    const token = await provider.sign({ sub: 'usr_1', orgSlug: 'acme', orgRoles: ['member'] });
    const { PATH = '' } = process.env;
    return (await run('sh', ['-c', line], { env: { PATH, TOKEN: token, BUILDER_URL: api.address } })).stdout;
  }
  const words = command.split(' ');
  if (!words.includes('-f')) {
    const { code, stdout, stderr } = await runCli({ url: api.address }, words, { env });
    assert.equal(code, 0, `${line}\n${stderr}`);
    return stdout;
  }
  const running = startCli({ url: api.address }, words, { env });
  await waitUntil(`a line of ${line}`, () => running.text().includes('of worker') || running.text().includes('slow'));
  running.child.kill('SIGINT');
  const { code, stdout } = await running.done;
  assert.equal(code, 130, line);
  return stdout;
}

it('docs/logs.md shows commands that do what it says', async () => {
  const steps = readPage(await readFile(PAGE, 'utf8'));
  const lines = steps.flatMap(({ shell }) => shell.trimEnd().split('\n')).map((line) => line.replace(/ +#.*$/, ''));
  assert.ok(lines.length >= 12);
  const said = new Map<string, string>();
  for (const line of lines) said.set(line, await saidBy(line));
  const of = (words: string): string => [...said].find(([line]) => line.includes(words))?.[1] ?? assert.fail(words);
  assert.match(of('--since 1h --level error'), /^\d\d:\d\d:\d\d on standard error\n$/);
  assert.match(of('--contains timeout'), /^12:00:00 a timeout of the first day\n$/);
  assert.match(of('--stream error --json'), /"text":"on standard error"/);
  assert.match(of('level=warn&lines=50'), /slow.*on standard error/);
  assert.match(of('text/event-stream'), /^event: line$/m);
  assert.match(of('platform logs'), /worker +error +\d+ B .*worker\/error\/1\.log/);
  assert.match(of('platform tail worker -n 50'), /of worker out/);
  assert.match(of('platform tail worker --stream error -f'), /of worker error/);
});
