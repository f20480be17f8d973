import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NO_PROGRESS } from '../../domain/config/messages.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runCli } from './run-cli.ts';

describe('fairlead config reencrypt', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  const run = (...args: string[]) =>
    runCli({ url: api.address }, ['config', 'reencrypt', ...args], { env: { FAIRLEAD_KEY: KEY } });
  const ended = async (status: 'completed' | 'failed', unreadable: typeof NO_PROGRESS.unreadable, ...args: string[]) =>
    endedWith(status, { ...NO_PROGRESS, checked: 9, resealed: 4, unreadable }, ...args);
  const endedWith = async (status: 'completed' | 'failed', progress: typeof NO_PROGRESS, ...args: string[]) => {
    const before = api.reencryption.starts();
    const running = run(...args);
    await waitUntil('the run has started', () => api.reencryption.starts() > before);
    api.reencryption.set({ status, progress, problem: null });
    return running;
  };

  it('waits for the end and says that earlier keys are needed no more', async () => {
    const { code, stdout, stderr } = await ended('completed', NO_PROGRESS.unreadable);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '9 secrets checked, 4 sealed with the current key\n');
    assert.match(stderr, /Earlier keys can be taken out of CONFIG_ENCRYPTION_KEY/);
    const json = await ended('completed', NO_PROGRESS.unreadable, '--json');
    assert.equal(JSON.parse(json.stdout).data.resealed, 4);
  });

  it('fails while something is left that no key opens, naming it', async () => {
    const first = [{ service: 'shop', environment: 'uat' as const, name: 'LOST' }];
    const { code, stdout, stderr } = await ended('completed', { count: 1, first });
    assert.equal(code, 1);
    assert.match(
      stdout,
      /1 cannot be opened with any key of CONFIG_ENCRYPTION_KEY\. Set them anew:\n {2}LOST of shop in uat\n/,
    );
    assert.doesNotMatch(stderr, /can be taken out/);
  });

  it('fails while some process seals with an earlier key, and does not say that keys can be taken out', async () => {
    const { code, stdout, stderr } = await endedWith('completed', { ...NO_PROGRESS, earlierKeyInUse: true });
    assert.equal(code, 1);
    assert.match(stdout, /Some process seals with an earlier key still/);
    assert.doesNotMatch(stderr, /can be taken out/);
  });

  it('a run that was ended early is a failure with its remedy', async () => {
    const { code, stderr } = await ended('failed', NO_PROGRESS.unreadable);
    assert.equal(code, 1);
    assert.match(stderr, /The run was ended before it was complete\.\nStart it again/);
  });
});
