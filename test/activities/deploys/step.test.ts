import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CancelledFailure } from '@temporalio/activity';
import { openBuild } from '../../../activities/deploys/open-build.ts';
import { releaseIdOf } from '../../../activities/deploys/release-id.ts';
import { runStep, type StepContext } from '../../../activities/deploys/step.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { STEPS, type StepKey } from '../../../domain/deploys/steps.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { cutBeforeRedaction } from '../../../domain/logs/cut-line.ts';
import { catalogRecord, releaseRecord } from '../../ports/records.ts';
import { unlessAborted } from '../../support/in-memory/network.ts';
import { asActivity } from './as-activity.ts';
import { useDeploy } from './use-deploy.ts';

const PLATFORM_SECRET = 'platform-canary-0123456789';
const SERVICE_SECRET = 'service-canary-0123456789';

/** An open build of a service with a secret, whose steps do what the test says. */
async function openedBuild() {
  const deploy = await useDeploy({ settings: { platformSecrets: [PLATFORM_SECRET] } });
  const { parts, build } = deploy;
  const secret = parts.cipher.seal(SERVICE_SECRET, { service: 'hello', key: 'API_TOKEN' });
  await parts.services.upsert({ id: build.serviceId, name: 'hello', org: 'acme' }, { secrets: { API_TOKEN: secret } });
  await openBuild(parts, build);
  const run = (
    key: StepKey,
    work: (context: StepContext) => Promise<BuildFacts>,
    options: Parameters<typeof asActivity>[1] & { readonly attempts?: number } = {},
  ) => {
    const definition = STEPS.find((step) => step.key === key);
    assert.ok(definition !== undefined);
    const { attempts, ...info } = options;
    const input = { build, facts: {}, ...(attempts === undefined ? {} : { attempts }) };
    return asActivity(() => runStep(parts, definition, input, work), info);
  };
  const record = async () => {
    const found = await parts.builds.find(build.buildId);
    assert.ok(found !== null);
    return found;
  };
  const step = async (key: StepKey) => (await record()).steps.find((row) => row.key === key);
  const logged = async () =>
    (await parts.log.read(build.buildId, 1, 100)).map(({ level, text }) => `${level}: ${text}`);
  return { ...deploy, run, record, step, logged };
}

describe('a step as an activity', () => {
  it('records that it runs and that it is completed, with what it found and said', async () => {
    const { parts, run, record, step, logged } = await openedBuild();
    const startedAt = parts.now();
    const result = await run('source', async ({ onLine, warn }) => {
      assert.equal((await step('source'))?.state, 'running');
      onLine('Fetching');
      warn('The repository has submodules');
      parts.advance(2_000);
      return { commitSha: 'abc', workDir: '/w' };
    });
    assert.deepEqual(result, { facts: { commitSha: 'abc', workDir: '/w' } });
    const shown = await step('source');
    assert.deepEqual([shown?.state, shown?.attempt], ['completed', 1]);
    assert.deepEqual(shown?.warnings, ['The repository has submodules']);
    assert.deepEqual([shown?.startedAt, shown?.finishedAt], [startedAt, parts.now()]);
    const { status, commitSha, facts, warnings: ofBuild } = await record();
    assert.deepEqual([status, commitSha, facts.workDir], ['cloning', 'abc', '/w']);
    assert.deepEqual(ofBuild, ['The repository has submodules']);
    assert.deepEqual(await logged(), ['info: Fetch source', 'info: Fetching', 'warn: The repository has submodules']);
  });

  it('run again after a wait, it says what is so by then: what it warned of before goes, and nothing of a later attempt', async () => {
    const { run, record } = await openedBuild();
    const warning = (text: string) => async (context: StepContext) => {
      context.warn(text);
      return {};
    };
    await run('source', warning('of another step'));
    await run('dependencies', warning('not deployed yet'));
    await run('dependencies', warning('not deployed yet, still'), { attempts: 1 });
    assert.deepEqual((await record()).warnings, ['of another step', 'not deployed yet, still']);
    await run('dependencies', async () => ({}), { attempts: 2 });
    assert.deepEqual((await record()).warnings, ['of another step']);
  });

  it('a failure keeps its code, is the last line of the log, and lets the step be retried', async () => {
    const { run, step, logged } = await openedBuild();
    const failure = new FairleadError('SOURCE_UNREACHABLE', 'The host is away', { retryable: true });
    const failed = { code: 'SOURCE_UNREACHABLE', message: 'The host is away', retryable: true };
    await assert.rejects(
      run('source', () => Promise.reject(failure)),
      failed,
    );
    assert.equal((await step('source'))?.state, 'running');
    assert.deepEqual(await logged(), ['info: Fetch source', 'error: The host is away']);
    await run('source', async () => ({}), { attempt: 2 });
    const shown = await step('source');
    assert.deepEqual([shown?.state, shown?.attempt], ['completed', 2]);
    assert.equal((await logged()).at(-1), 'info: Fetch source, attempt 2');
  });

  it('the time of a step ends with its attempt, not with what undoes the build, and begins again with the next', async () => {
    const { parts, run, step, record } = await openedBuild();
    const failedAt = parts.now();
    const fail = () => Promise.reject(new FairleadError('SOURCE_UNREACHABLE', 'The host is away', { retryable: true }));
    await assert.rejects(run('source', fail));
    parts.advance(60_000);
    assert.deepEqual((await step('source'))?.finishedAt, failedAt);
    await assert.rejects(
      run(
        'source',
        async () => {
          assert.equal((await step('source'))?.finishedAt, null);
          parts.advance(5_000);
          return fail();
        },
        { attempt: 2 },
      ),
    );
    const failedAgainAt = parts.now();
    parts.advance(60_000);
    const end = { status: 'failed', reason: 'step_failed', failure: null, supersededBy: null } as const;
    await parts.builds.finish((await record()).id, { ...end, finishedAt: parts.now() });
    const shown = await step('source');
    assert.deepEqual([shown?.state, shown?.finishedAt], ['failed', failedAgainAt]);
  });

  it('an attempt that was paused while the next one ran changes nothing', async () => {
    const { parts, run, step, record } = await openedBuild();
    const woken = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const first = run('image-push', async () => {
      begun.resolve();
      await woken.promise;
      return { imageDigest: 'of the first attempt' };
    });
    await begun.promise;
    await run('image-push', async () => ({ imageDigest: 'of the second attempt' }), { attempt: 2 });
    woken.resolve();
    await first;
    assert.equal((await record()).imageDigest, 'of the second attempt');
    assert.deepEqual([(await step('image-push'))?.state, (await step('image-push'))?.attempt], ['completed', 2]);
    let worked = false;
    const late = run('image-push', async () => {
      worked = true;
      return {};
    });
    await assert.rejects(late, { code: 'CONFLICT' });
    assert.equal(worked, false);
    await parts.builds.finish((await record()).id, {
      ...{ status: 'failed', reason: 'cancelled', failure: null, supersededBy: null, finishedAt: parts.now() },
    });
    await assert.rejects(
      run('install', async () => ({})),
      { code: 'CONFLICT' },
      'after the end of the build',
    );
  });

  it('no secret of service or platform gets into log, record or error', async () => {
    const { run, record, logged } = await openedBuild();
    const said = `${SERVICE_SECRET} and ${PLATFORM_SECRET}`;
    const work = async ({ onLine, warn, diagnose }: StepContext): Promise<BuildFacts> => {
      onLine(said);
      warn(said);
      await diagnose('Last output', [said]);
      throw new FairleadError('IMAGE_BUILD_FAILED', said, { details: { deep: [{ words: said }] } });
    };
    const error = await run('image-build', work).catch((caught: unknown) => caught);
    assert.ok(error instanceof FairleadError);
    const everything = JSON.stringify([await record(), await logged(), error, error.message, error.stack]);
    assert.ok(!everything.includes(SERVICE_SECRET) && !everything.includes(PLATFORM_SECRET));
    assert.equal((await record()).diagnostics[0]?.title, 'Last output');
    assert.match(error.message, /^\S+ and \S+$/);
  });

  it('an error that is no domain error is told in the log of the build without its message', async () => {
    const { run, logged } = await openedBuild();
    const mistake = new SyntaxError(`Invalid regular expression: /${PLATFORM_SECRET}/`);
    await assert.rejects(
      run('image-build', () => Promise.reject(mistake)),
      mistake,
    );
    assert.deepEqual(await logged(), ['info: Build image', 'error: Build image: unexpected error']);
  });

  it('what a release was given stays out of the log, also when the variables were changed since', async () => {
    const { parts, build, run, logged } = await openedBuild();
    const id = releaseIdOf(build);
    const context = { service: 'hello', environment: build.environment, key: 'API_TOKEN' };
    const secrets = { API_TOKEN: parts.cipher.seal('earlier-canary-0123456789', context) };
    const { serviceId, environment } = build;
    await parts.releases.put(releaseRecord({ id, serviceId, service: 'hello', environment, secrets }));
    await run('install', async ({ onLine }) => {
      onLine(`used earlier-canary-0123456789 and ${SERVICE_SECRET}`);
      return {};
    });
    assert.equal((await logged()).at(-1), 'info: used [REDACTED] and [REDACTED]');
  });

  it('a service with thousands of secret lines deploys, and none of them is in the log', async () => {
    const { parts, build, run, logged } = await openedBuild();
    const lines = Array.from({ length: 6_500 }, (_, index) => (0x10000 + index * 7).toString(36));
    const secret = parts.cipher.seal(lines.join('\n'), { service: 'hello', key: 'KEYS' });
    await parts.services.upsert({ id: build.serviceId, name: 'hello', org: 'acme' }, { secrets: { KEYS: secret } });
    await run('source', async ({ onLine }) => {
      onLine(`read ${lines[6_000]} of the keys`);
      return {};
    });
    assert.deepEqual(await logged(), ['info: Fetch source', 'info: read [REDACTED] of the keys']);
  });

  it('a failure whose lines were cut within a secret shows no part of it', async () => {
    const { parts, build, run, logged } = await openedBuild();
    const secret = parts.cipher.seal('correct horse battery', { service: 'hello', key: 'PHRASE' });
    await parts.services.upsert({ id: build.serviceId, name: 'hello', org: 'acme' }, { secrets: { PHRASE: secret } });
    const line = cutBeforeRedaction(`said correct horse battery ${'x'.repeat(100)}`, 30);
    const failure = new FairleadError('IMAGE_BUILD_FAILED', `Line 2 failed\n${line}\nexit code: 1`, {
      details: { line },
    });
    await assert.rejects(
      run('image-build', () => Promise.reject(failure)),
      { message: 'Line 2 failed\nsaid …\nexit code: 1', details: { line: 'said …' } },
    );
    assert.doesNotMatch((await logged()).join('\n'), /corr|horse/);
  });

  it('the step that finds the catalog has the rest planned with it, and tells what is left to run', async () => {
    const { run, step } = await openedBuild();
    assert.equal((await step('oauth-client'))?.state, 'skipped');
    await run('source', async () => ({ workDir: '/w' }));
    const passport = { includeBranding: false, includeEntityHash: false, headless: false, allowedEmbedOrigins: [] };
    const catalog = catalogRecord({ auth: { mode: 'sso', passport }, storage: [{ name: 'files', tier: 's3-sm' }] });
    const { plan } = await run('catalog', async () => ({ catalog, appPath: '', contextPath: '', dockerfile: null }));
    assert.deepEqual(
      plan?.slice(0, 2).map(({ key }) => key),
      ['container-file', 'config-preflight'],
    );
    assert.ok(plan?.some(({ key }) => key === 'oauth-client'));
    assert.equal((await step('oauth-client'))?.state, 'pending');
    assert.equal((await step('source'))?.state, 'completed', 'what ran stays as it was');
    assert.match((await step('catalog'))?.warnings.join() ?? '', /Provision object storage: declared, but/);
  });

  it('what follows the catalog runs again when a worker was killed before Temporal knew of its results', async () => {
    const { run, step } = await openedBuild();
    const catalog = async () => ({ catalog: catalogRecord(), appPath: '', contextPath: '', dockerfile: null });
    const first = await run('catalog', catalog);
    await run('container-file', async () => ({ imageTag: 'x:1' }));
    await run('config-preflight', async () => ({}));
    const again = await run('catalog', catalog);
    assert.deepEqual(again.plan, first.plan);
    assert.equal((await step('container-file'))?.state, 'completed', 'the record keeps what has begun');
  });

  it('a step that is cancelled ends as cancelled, and says nothing of an error', async () => {
    const { run, step, logged } = await openedBuild();
    const never = new Promise<BuildFacts>(() => undefined);
    let cancel = (): void => undefined;
    const running = run(
      'image-build',
      async ({ signal, onLine }) => {
        onLine('building');
        setImmediate(cancel);
        return await unlessAborted(never, signal);
      },
      {
        begun: (canceller) => {
          cancel = canceller;
        },
      },
    );
    await assert.rejects(running, CancelledFailure);
    assert.equal((await step('image-build'))?.state, 'running', 'the terminal write ends it');
    assert.deepEqual(await logged(), ['info: Build image', 'info: building']);
  });
});
