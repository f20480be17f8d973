import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import type { LogPlace } from '../../../domain/logs/service-log.ts';
import { TARGET } from '../../ports/service-logs.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Collecting } from './collecting-child.ts';

const LINES = 1_000_000;
const KILLS = 10;
const ROTATIONS = 40;
const FILE_BYTES = 2_600_000;

it('a million lines go through 40 rotations and 10 kills of their collector: a follower has each once, in order', {
  timeout: 400_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-million-'));
  const collecting: Collecting = { directory, lines: LINES, fileBytes: FILE_BYTES };
  let child: ChildProcess | null = null;
  try {
    const followed = followAll(directory);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      child = start(collecting);
      await reading(child, Math.round((LINES * kill) / (KILLS + 1)));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    child = start(collecting);
    assert.equal(await followed, LINES);
    const folder = join(directory, 'svc_shop', 'prod');
    const files = await waitUntil(
      'all but the newest compressed',
      async () => {
        const names = await readdir(folder);
        return names.filter((name) => !name.endsWith('.gz')).length === 1 ? names : null;
      },
      { withinMs: 120_000 },
    );
    assert.ok(files.length > ROTATIONS, `${files.length} files`);
    assert.equal(await linesIn(folder, files), LINES, 'and so have the files');
  } finally {
    child?.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
});

function start(collecting: Collecting): ChildProcess {
  return fork(join(import.meta.dirname, 'collecting-child.ts'), [JSON.stringify(collecting)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}

/** Resolves once the collector has read so many lines. */
async function reading(child: ChildProcess, lines: number): Promise<void> {
  const signal = AbortSignal.timeout(120_000);
  for (;;) {
    const [read] = await once(child, 'message', { signal });
    if (read >= lines) return;
  }
}

const START: LogPlace = { file: 0, offset: 0 };

/** Follows the log while it is written until it has all lines. @throws at the first that is not the one after the last */
async function followAll(directory: string): Promise<number> {
  const logs = createServiceLogs({ directory });
  let seen = 0;
  for (let place = START; seen < LINES; ) {
    const { lines, next, lost } = await logs.after(TARGET, place);
    assert.equal(lost, false);
    for (const { line } of lines) seen = inOrder(line.text, seen);
    place = next;
    if (lines.length === 0) await delay(20);
  }
  return seen;
}

/** The lines in the files themselves, most of which are compressed. */
async function linesIn(folder: string, names: readonly string[]): Promise<number> {
  let lines = 0;
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
    lines += text.split('"text":"line ').length - 1;
  }
  return lines;
}

function inOrder(text: string, seen: number): number {
  if (!text.startsWith(`line ${seen + 1} of a service`)) assert.fail(`after line ${seen} comes: ${text}`);
  return seen + 1;
}
