import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { TEST_SMOKE } from '../../infra/dev/test-variables.ts';
import * as workflows from '../../workflows/index.ts';
import { readHistory } from './compact-history.ts';
import { collectOptions, differences, recordedOptions } from './recorded-options.ts';

const folder = join(import.meta.dirname, 'histories');
const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const interceptorModules = [fileURLToPath(new URL('./command-options.ts', import.meta.url))];

/** Versions whose recordings never change any more: workflows that they began may still be in flight. */
const RELEASED = ['0.1'];

/** Changes of options that are meant, and why: everything else about timers and retries is part of the contract. */
const INTENDED: readonly { readonly difference: RegExp; readonly why: string }[] = [
  {
    difference: /^activity \d+: restorePrevious .* all 86400 s.* → restorePrevious .* all 900 s/,
    why: 'an undo that does not succeed must not hold the terminal record up for a day',
  },
  {
    difference: /^activity \d+: tellNotServed .* all 864000 s.* → tellNotServed .* all 900 s/,
    why: 'a mail server that is away must not hold the certificates of a service for ten days',
  },
  {
    difference: /^activity \d+: deliverCertificate .* all 864000 s.* → deliverCertificate .* all 900 s/,
    why: 'a disk that is full must not hold the certificates of a service for ten days, with no word to operators',
  },
  {
    difference: /^activity \d+: removeCertificateFiles .* all 30 s.* → removeCertificateFiles .* all 12 s/,
    why: 'who waits for it does so for 25 seconds, of which the workflow may have taken 10 before',
  },
  {
    difference: /^activity \d+: reportNight .* all 10800 s.* → reportNight .* all 5400 s/,
    why: 'a night that waits for a backup until its limit must tell of it within the time of its run',
  },
  {
    difference: /^activity \d+: mirrorArchives .* all 68400 s.* → mirrorArchives .* all 64800 s/,
    why: 'a mirror that takes all its time must tell of it within the time of its run',
  },
];

const names = readdirSync(folder).flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((file) => file.endsWith('.json'))
    .map((file) => `${version}/${file.replace(/\.json$/, '')}`),
);
const read = (name: string): string => readFileSync(join(folder, `${name}.json`), 'utf8');

/** In a smoke run those of released versions and of builds. */
const isReplayed = (name: string): boolean =>
  !process.env[TEST_SMOKE] || RELEASED.includes(name.split('/')[0] ?? '') || name.endsWith('-build');

describe('recorded histories', { timeout: 240_000 }, () => {
  let workflowBundle: WorkflowBundleWithSourceMap;
  before(async () => {
    const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
    const bundle = { workflowsPath, logger: SILENT, workflowInterceptorModules: interceptorModules };
    workflowBundle = await bundleWorkflowCode(bundle);
  });

  /** @returns how today's options of timers and activities differ from the recorded ones */
  async function replay(text: string): Promise<readonly string[]> {
    const history = readHistory(text);
    const { sinks, lines } = collectOptions();
    const interceptors = { workflowModules: interceptorModules };
    await Worker.runReplayHistory({ workflowBundle, sinks, interceptors }, history);
    return differences(recordedOptions(history), lines);
  }

  for (const name of names.sort().filter(isReplayed)) {
    it(`${name} replays on the workflows of today, with its timers, deadlines and retries`, async () => {
      const changed = await replay(read(name));
      const unintended = changed.filter((one) => !INTENDED.some(({ difference }) => difference.test(one)));
      assert.deepEqual(unintended, []);
    });
  }

  for (const version of RELEASED) {
    it(`of version ${version} are as they were released`, () => {
      const sums = readFileSync(join(folder, version, 'SHA256SUMS'), 'utf8')
        .trimEnd()
        .split('\n');
      assert.ok(sums.length > 0);
      for (const line of sums) {
        const [sum, file = ''] = line.split(/ +/);
        const digest = createHash('sha256').update(readFileSync(join(folder, version, file)));
        assert.equal(digest.digest('hex'), sum, `${version}/${file} is released and must not change`);
      }
    });
  }

  it('every type of workflow has a history, so that none can be changed unseen', () => {
    const recorded = names.map((name) => typeOf(readHistory(read(name))));
    const missing = Object.keys(workflows).filter((type) => !recorded.includes(type));
    assert.deepEqual(missing, [], 'add a scenario and record it with test/replay/record.ts');
  });

  it('a step under another name is detected', async () => {
    const changed = read('0.1/deploy-build').replaceAll('"readCatalog"', '"parseCatalog"');
    assert.notEqual(changed, read('0.1/deploy-build'));
    await assert.rejects(replay(changed), DeterminismViolationError);
  });

  it('a history of another workflow is detected', async () => {
    const changed = read('0.1/clean-up').replaceAll('"cleanUpAfterBuild"', '"removeService"');
    assert.notEqual(changed, read('0.1/clean-up'));
    await assert.rejects(replay(changed), DeterminismViolationError);
  });

  it('another timer and another deadline are detected', async () => {
    const timer = read('0.1/clean-up').replaceAll(
      '"startToFireTimeout":{"seconds":"5"}',
      '"startToFireTimeout":{"seconds":"6"}',
    );
    assert.deepEqual(await replay(timer), ['timer 1: 6 → 5']);
    const deadline = read('0.1/deploy-build').replaceAll('{"seconds":"3600"}', '{"seconds":"3601"}');
    assert.equal((await replay(deadline)).length, 1);
  });
});

/** Type of the workflow that a history is of. */
function typeOf({ events }: ReturnType<typeof readHistory>): string | null | undefined {
  return events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;
}
