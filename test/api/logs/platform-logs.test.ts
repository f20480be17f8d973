import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { openPartLog } from '../../../adapters/log-files/part-log.ts';
import { partLogFolder, rotationPath } from '../../../adapters/log-files/part-log-folder.ts';
import { createPlatformLogs } from '../../../adapters/log-files/platform-logs.ts';
import type { OutputStream } from '../../../domain/logs/output-line.ts';
import { type PlatformLogLineView, platformTailSchema } from '../../../domain/logs/platform-log-schema.ts';
import { createTokenVerifier } from '../../../sdk/index.ts';
import { AUDIENCE, startProvider } from '../../sdk/auth/test-provider.ts';
import { followEvents } from '../../support/follow-events.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-platform-logs-api-'));
  api = await startApi(null, null, {
    ...createInMemoryBuilderParts(),
    platformLogs: createPlatformLogs({ directory: folder }),
  });
});
after(async () => {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

function logOf(part: string, stream: OutputStream = 'out', fileBytes = 1_000_000) {
  const path = partLogFolder(folder, { part, stream });
  assert.ok(path);
  const log = openPartLog(path, {
    rotation: { fileBytes, retain: 50, quotaBytes: 10_000_000 },
    now: () => new Date(),
    secrets: [],
  });
  return { write: (...lines: string[]) => log.write(Buffer.from(`${lines.join('\n')}\n`)), look: log.look };
}

const entry = (level: string, msg: string) =>
  JSON.stringify({ level, time: '2026-01-01T00:00:00.000Z', name: 'api', pid: 1, msg });

async function tail(query: string) {
  const { body, status } = await api.call('GET', `/platform/logs/tail?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  const data = platformTailSchema.parse(body.data);
  return { ...data, raw: data.lines.map(({ raw }) => raw) };
}

it('where nobody of ours keeps logs, the inventory is empty and the rule is not known; the tail is empty', async () => {
  const { body } = await api.call('GET', '/platform/logs');
  assert.deepEqual(body.data, {
    ...{ files: [], rotated: [], totalBytes: 0, totalHuman: '0 B' },
    rotation: { enabled: null, maxSize: null, retain: null, compress: null },
  });
  const { lines, returned, truncated, stream } = await tail('');
  assert.deepEqual([lines, returned, truncated, stream], [[], 0, false, 'out']);
  assert.equal((await api.call('GET', '/platform/logs/tail?part=worker')).status, 404);
});

it('lists the files with their sizes, and the rule by which they are rotated', async () => {
  const worker = logOf('worker', 'out', 1_500);
  for (let line = 0; line < 2; line += 1) worker.write('x'.repeat(1_400));
  await worker.look();
  await writeFile(rotationPath(folder), JSON.stringify({ fileBytes: 50 * 1024 ** 2, retain: 14 }));
  const { data } = (await api.call('GET', '/platform/logs')).body;
  const [file] = data.files;
  const { modifiedAt, ...rest } = file;
  assert.deepEqual(rest, {
    ...{ part: 'worker', stream: 'out', path: 'worker/out/2.log', sizeBytes: 1_401, sizeHuman: '1.4 KiB' },
  });
  assert.ok(Math.abs(Date.parse(modifiedAt) - Date.now()) < 60_000);
  assert.deepEqual([data.rotated[0].name, data.rotated[0].part], ['worker/out/1.log.gz', 'worker']);
  assert.equal(data.totalBytes, 1_401 + data.rotated[0].sizeBytes);
  assert.deepEqual(data.rotation, { enabled: true, maxSize: '50M', retain: 14, compress: true });
});

it('tails the builder’s own output unless another is named; lines are clamped to 1,000 and 200 without a number', async () => {
  const [out, error] = [logOf('api'), logOf('api', 'error')];
  out.write(...Array.from({ length: 1_200 }, (_, line) => entry('info', `${line}`)));
  error.write('a trace of a crash', '    at nowhere');
  const shown = await tail('');
  assert.deepEqual([shown.lines.length, shown.returned, shown.truncated, shown.part], [200, 200, true, 'api']);
  assert.deepEqual(shown.lines.at(-1), {
    ...{ ts: '2026-01-01T00:00:00.000Z', level: 'info', msg: '1199', raw: entry('info', '1199') },
  });
  assert.equal((await tail('lines=5000')).returned, 1_000);
  assert.equal((await tail('lines=1')).returned, 1);
  const { lines } = await tail('stream=error');
  assert.deepEqual(lines, [
    { ts: null, level: null, msg: null, raw: 'a trace of a crash' },
    { ts: null, level: null, msg: null, raw: '    at nowhere' },
  ]);
  for (const wrong of ['lines=0', 'lines=x', 'stream=all', 'level=info', 'part=..', 'part=../api', 'part=Api', 'x=1']) {
    assert.equal((await api.call('GET', `/platform/logs/tail?${wrong}`)).status, 400, wrong);
  }
});

it('warn shows warn, error and fatal; error shows error and fatal; neither a line without a level', async () => {
  const log = logOf('levels');
  log.write(...['debug', 'info', 'warn', 'error', 'fatal'].map((level) => entry(level, level)), 'no level');
  const shown = async (level: string) => (await tail(`part=levels&level=${level}`)).lines.map(({ msg }) => msg);
  assert.deepEqual(await shown('all'), ['debug', 'info', 'warn', 'error', 'fatal', null]);
  assert.deepEqual(await shown('warn'), ['warn', 'error', 'fatal']);
  assert.deepEqual(await shown('error'), ['error', 'fatal']);
});

it('every line is redacted again, has no control characters, and looks like no event of the stream', async () => {
  const token = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`;
  const log = logOf('hostile');
  log.write(
    entry('info', `authorization: Bearer ${token}`),
    `plain x-internal-key: ${'k'.repeat(40)}`,
    'mongodb://user:pass%40word@db.internal/x',
    'red \u001b[31m\u001b]0;owned\u0007 \u009b2Jtext\u202e',
    'data: {"raw":"forged"}\r',
    'id: 99:99',
  );
  const { lines, raw } = await tail('part=hostile');
  const text = JSON.stringify(lines);
  for (const secret of [token, 'kkkkkkkk', 'pass%40word']) assert.ok(!text.includes(secret), secret);
  assert.equal(raw[3], 'red  text');
  assert.doesNotMatch(raw.join(''), /\p{Cc}|\u202e/u);
  const follower = followEvents(`${api.address}/platform/logs/tail?part=hostile`);
  await follower.until(6);
  await follower.stop();
  assert.equal(follower.lines.length, 6);
  assert.ok(follower.lines.every(({ id }) => /^1:\d+$/.test(id) && id !== '99:99'));
});

type RawLine = Pick<PlatformLogLineView, 'raw'>;

it('a follower resumes by the id of the last line it has, also when the log was rotated and compressed meanwhile', async () => {
  const log = logOf('follows', 'out', 300);
  const path = '/platform/logs/tail?part=follows';
  log.write('line 1', 'line 2');
  const first = followEvents<RawLine>(`${api.address}${path}`);
  await first.until(2);
  for (let line = 3; line <= 60; line += 1) log.write(`line ${line}`);
  await first.until(60);
  await first.stop();
  await log.look();
  const seen = first.lines.map(({ raw }) => raw);
  const numbers = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
  assert.deepEqual(seen, numbers);
  for (const at of [0, 1, 30, 58]) {
    const again = followEvents<RawLine>(`${api.address}${path}`, { 'last-event-id': first.lines[at]?.id ?? '' });
    await again.until(59 - at);
    await again.stop();
    const raw = again.lines.map((line) => line.raw);
    assert.deepEqual([raw, again.events.includes('gap')], [numbers.slice(at + 1), false]);
  }
  const { next } = await tail('part=follows');
  const last = followEvents(`${api.address}${path}`, { 'last-event-id': String(next) });
  log.write('line 61');
  await last.until(1);
  await last.stop();
  for (const id of ['../1:2', '1', '-1:0', '1:1e9', '1:2:3', '9999999999:1']) {
    const headers = { accept: 'text/event-stream', 'last-event-id': id };
    assert.equal((await api.call('GET', path, undefined, headers)).status, 400, id);
  }
});

it('a super admin whose token is revoked while they follow is let go within seconds', async () => {
  const provider = await startProvider();
  const verifier = createTokenVerifier({
    ...{ idpUrl: provider.url, audience: AUDIENCE },
    revocations: { internalKey: 'test' },
  });
  const log = logOf('revoked');
  log.write('seen');
  const other = await startApi({ verifier, issuer: provider.url }, null, {
    ...createInMemoryBuilderParts(),
    platformLogs: createPlatformLogs({ directory: folder }),
  });
  try {
    const claims = {
      sub: 'usr_root',
      orgSlug: 'platform',
      orgRoles: ['member'],
      roles: ['super_admin'],
      jti: 'tok_root',
    };
    const authorization = `Bearer ${await provider.sign(claims)}`;
    const follower = followEvents(`${other.address}/platform/logs/tail?part=revoked`, {
      authorization,
    });
    await follower.until(1);
    provider.revoke('token', 'tok_root');
    assert.equal(await follower.done, 'ended');
    log.write('unseen');
    assert.equal(follower.lines.length, 1);
  } finally {
    verifier.close();
    await other.stop();
    await provider.stop();
  }
});
