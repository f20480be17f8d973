import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { installWorkload } from '../../../../activities/deploys/steps/install-workload.ts';
import { createStuckCheck } from '../../../../activities/deploys/stuck-workload.ts';
import { POD_TIERS } from '../../../../domain/catalog/pod-tiers.ts';
import type { BuildFacts } from '../../../../domain/deploys/facts.ts';
import type { Workload } from '../../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { sealCredential } from '../../../../domain/oauth-clients/credential.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import { buildRecord, buildRequest, catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { recordingContext, workloadSpec } from '../../../ports/workload-runtime.ts';
import { createInMemoryDeploys } from '../../../support/in-memory/deploys-deps.ts';
import { healthyProgram, type Program } from '../../../support/in-memory/image-registry.ts';
import { movableMonotonicClock, setClockAhead } from '../../../support/move-clocks.ts';
import { recordingStep } from '../step-context.ts';
import { type Given, useDeploy } from '../use-deploy.ts';

const IMAGE = `localhost:5050/hello@sha256:${'a'.repeat(64)}`;
const COMMIT = 'c'.repeat(40);
const SHOP = { service: 'shop', url: 'http://shop.prod.internal:7600', variable: 'SHOP_URL' };
const SSO = { mode: 'sso', passport: NO_PASSPORT } as const;

const facts: BuildFacts = {
  catalog: catalogRecord({ podTier: 'nano', healthDeclared: true }),
  imageTag: 'localhost:5050/hello:prod-ccccccc-1',
  imageDigest: IMAGE,
  port: 3000,
  commitSha: COMMIT,
  generatedContainerFile: true,
};

/** A build whose image is pushed and runs this program. */
async function withImage(program: Program = healthyProgram, given: Given = {}) {
  const deploy = await useDeploy({ ...given, opened: true, settings: { readinessTimeoutMs: 60, ...given.settings } });
  const { parts, build } = deploy;
  parts.registry.put(IMAGE, program);
  const only = async (): Promise<Workload> => {
    const [workload, ...others] = await parts.runtime.list(build.service, build.environment);
    assert.ok(workload !== undefined && others.length === 0);
    return workload;
  };
  return { ...deploy, only, routed: () => parts.edge.current(build.service, build.environment) };
}

/** The next build of the service. */
async function useNext(parts: Awaited<ReturnType<typeof withImage>>['parts']) {
  const next = buildRequest({ serviceId: 'svc_hello', service: 'hello', org: 'acme' });
  await parts.builds.create(buildRecord({ id: next.buildId }));
  return next;
}

const failing = (status: number): Program => {
  return () => ({ output: ['one', 'two'], listener: () => ({ status, body: '' }), ended: null });
};

describe('install', () => {
  it('starts the workload, waits until it is healthy, applies its CPU limit, then routes to it', async () => {
    const { parts, attempt, build, only, routed } = await withImage();
    const step = attempt(facts);
    const found = await installWorkload(parts, step);
    const workload = await only();
    assert.deepEqual(found, {
      releaseId: build.buildId.replace('bld', 'rel'),
      workloadId: workload.id,
      url: parts.edge.url('hello', 'prod'),
    });
    const target = { serviceId: build.serviceId, workloadId: workload.id, address: workload.address };
    assert.deepEqual(await routed(), target);
    assert.equal(parts.runtime.cpuMillis(workload), POD_TIERS.nano.cpuLimitMillis);
    assert.ok(step.lines.some((line) => line.startsWith(`Starting ${IMAGE} with 0.25 CPU and 256 MiB`)));
    assert.deepEqual(step.warnings, []);
  });

  describe('with a database of another service', () => {
    const SHOP_READ = { engine: 'postgres', access: 'read', service: 'shop', serviceId: 'svc_shop' } as const;
    const owner = { service: 'hello', serviceId: 'svc_hello', org: 'acme', environment: 'prod' } as const;
    const withShop: BuildFacts = { ...facts, consumedDatabases: [SHOP_READ] };
    const { signal } = new AbortController();
    async function withLogin(given: Given = {}) {
      const deploy = await withImage(healthyProgram, { ...given, build: { environment: 'prod', ...given.build } });
      const { services, databases } = deploy.parts;
      await services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
      await databases.provision('postgres', { ...owner, service: 'shop', serviceId: 'svc_shop' }, signal);
      assert.notEqual(await databases.consume({ from: SHOP_READ, by: owner }, signal), null);
      return deploy;
    }

    it('starts nothing without its address: what ended while it was deployed fails the attempt, which may be repeated', async () => {
      const { parts, attempt } = await withLogin();
      await parts.databases.endConsumed(owner, async () => []);
      const expected = { code: 'CONFLICT', retryable: true, message: /^SHOP_POSTGRES_URI: / };
      await assert.rejects(installWorkload(parts, attempt(withShop)), expected);
      assert.deepEqual(await parts.runtime.list('hello', 'prod'), []);
      const other = await withLogin();
      await installWorkload(other.parts, other.attempt(withShop));
      const given = await other.parts.runtime.variables(await other.only());
      assert.match(given?.SHOP_POSTGRES_URI ?? '', /^postgresql:/);
    });

    it('that ended since its release was made: what is installed again starts without it, with a warning', async () => {
      const { parts, attempt, only } = await withLogin({ build: { kind: 'rollback', releaseId: 'rel_before' } });
      await parts.releases.put(
        releaseRecord({ ...owner, id: 'rel_before', imageDigest: IMAGE, consumedDatabases: [SHOP_READ], secrets: {} }),
      );
      await parts.databases.endConsumed(owner, async () => []);
      const step = attempt();
      await installWorkload(parts, step);
      assert.equal((await parts.runtime.variables(await only()))?.SHOP_POSTGRES_URI, undefined);
      assert.match(step.warnings.join(), /SHOP_POSTGRES_URI is not given: .* has ended\. Deploy it/);
    });
  });

  it('traffic comes only once it is healthy, and goes to the old workload until then', async () => {
    let probes = 0;
    const seen: (string | undefined)[] = [];
    const slow: Program = (spec) => ({
      ...healthyProgram(spec),
      listener: async () => {
        probes += 1;
        seen.push((await routed())?.workloadId);
        return { status: probes < 3 ? 503 : 200, body: '{}' };
      },
    });
    const { parts, build, attempt, only, routed } = await withImage(slow, {
      settings: { readinessTimeoutMs: 600_000 },
    });
    const old = { workloadId: 'the-old-one', address: 'http://127.0.0.1:9' };
    await parts.edge.route('hello', 'prod', old, 1);
    await installWorkload(parts, attempt(facts));
    assert.deepEqual(seen, ['the-old-one', 'the-old-one', 'the-old-one']);
    const { id, address } = await only();
    assert.deepEqual(await routed(), { serviceId: build.serviceId, workloadId: id, address });
  });

  it('gives the workload its configuration, the platform’s own variables last', async () => {
    const config = [{ key: 'DEFAULTED', secret: false, required: true, default: 'by default' }];
    const { parts, attempt, build, only } = await withImage(healthyProgram, {
      settings: { platformUrls: { IDP_URL: 'https://idp.example' } },
    });
    const secret = parts.cipher.seal('hidden', { service: 'hello', key: 'SECRET' });
    const key = { id: build.serviceId, name: 'hello', org: 'acme' };
    await parts.services.upsert(key, { config: { COLOUR: 'blue', NODE_ENV: 'mine' }, secrets: { SECRET: secret } });
    await installWorkload(parts, attempt({ ...facts, catalog: catalogRecord({ config }) }));
    const spec = parts.runtime.specOf(await only());
    assert.deepEqual(spec.env, {
      ...{ DEFAULTED: 'by default', COLOUR: 'blue', SECRET: 'hidden', IDP_URL: 'https://idp.example' },
      ...{ NODE_ENV: 'production', ENVIRONMENT: 'prod', PORT: '3000', GIT_COMMIT: COMMIT },
      PUBLIC_URL: parts.edge.url('hello', 'prod'),
    });
    assert.deepEqual([spec.image, spec.readOnlyRoot, spec.healthEndpoint], [IMAGE, true, '/health']);
    const release = await parts.releases.find(spec.releaseId);
    assert.equal(release?.activatedAt, null, 'it is not active before it is registered');
    assert.ok(!JSON.stringify(release).includes('hidden'), 'a release keeps secrets sealed');
    const kept = release?.secrets.SECRET;
    assert.ok(kept !== undefined);
    const place = { service: 'hello', key: 'SECRET' };
    assert.equal(parts.cipher.open(kept, { ...place, environment: 'prod' }), 'hidden');
    for (const moved of [place, { ...place, environment: 'sandbox' as const }]) {
      assert.throws(() => parts.cipher.open(kept, moved), { code: 'INTERNAL' }, 'for its environment alone');
    }
  });

  it('counts for the org that owns the service, whoever deploys it', async () => {
    const { parts, attempt, only } = await withImage(healthyProgram, { build: { org: 'other' } });
    await installWorkload(parts, attempt(facts));
    assert.equal(parts.runtime.specOf(await only()).org, 'acme');
  });

  it('a service with people to sign in gets its client credential, or a warning that there is none', async () => {
    const { parts, attempt, build, only } = await withImage();
    const withAuth = { ...facts, catalog: catalogRecord({ auth: SSO }) };
    const bare = attempt(withAuth);
    await installWorkload(parts, bare);
    assert.match(bare.warnings.join(), /declares spec\.auth and has no client credentials/);
    await parts.runtime.remove(await only(), 0);
    const client = { clientId: 'hello-prod', clientSecret: 'flcs_secret' };
    const credential = sealCredential(parts.cipher, 'hello', 'prod', client);
    await parts.services.setOAuthCredential(build.serviceId, 'prod', credential);
    const step = attempt(withAuth);
    await installWorkload(parts, step);
    const { IDP_CLIENT_ID, IDP_CLIENT_SECRET } = parts.runtime.specOf(await only()).env;
    assert.deepEqual([IDP_CLIENT_ID, IDP_CLIENT_SECRET, step.warnings], ['hello-prod', 'flcs_secret', []]);
  });

  it('a second attempt adopts the workload and the release of the first', async () => {
    const { parts, attempt, build, only } = await withImage();
    const first = await installWorkload(parts, attempt(facts));
    parts.advance(60_000);
    const key = { id: build.serviceId, name: 'hello', org: 'acme' };
    await parts.services.upsert(key, { config: { CHANGED: 'meanwhile' } });
    assert.deepEqual(await installWorkload(parts, attempt(facts)), first);
    assert.equal((await only()).id, first.workloadId);
    assert.deepEqual((await parts.releases.find(first.releaseId ?? ''))?.config, {});
    assert.equal(parts.audit.told().length, 1, 'the namespace is told once');
  });

  it('a workload that does not get healthy in time ends the build with its last words, and gets no traffic', async () => {
    const { parts, attempt, routed } = await withImage(failing(503));
    const step = attempt(facts);
    await assert.rejects(installWorkload(parts, step), (error) => {
      assert.ok(error instanceof FairleadError);
      assert.deepEqual([error.code, error.retryable], ['HEALTH_CHECK_FAILED', false]);
      assert.match(error.message, /no healthy answer within 0 seconds\. Last probe: GET .*\/health answered 503/);
      assert.deepEqual((error.details as { probe: string }).probe, 'readiness');
      return true;
    });
    assert.deepEqual(step.diagnostics, [{ title: 'Last output of the container', lines: ['one', 'two'] }]);
    assert.equal(await routed(), null);
    assert.equal(step.lines.filter((line) => line.startsWith('Not ready')).length, 1, 'the same answer is told once');
  });

  it('says in the log and in the error what to do when the service has not the health endpoint that it declares, and claims no previous release', async () => {
    const { parts, attempt } = await withImage(failing(404));
    const step = attempt(facts);
    const remedy = /Answer \/health with status 200, or declare platform\.io\/health-endpoint in catalog-info\.yaml\./;
    await assert.rejects(installWorkload(parts, step), (error) => {
      assert.ok(error instanceof FairleadError);
      assert.match(error.message, remedy);
      assert.doesNotMatch(error.message, /previous release/);
      return true;
    });
    assert.equal(step.lines.filter((line) => remedy.test(line)).length, 1);
  });

  const undeclared: BuildFacts = { ...facts, catalog: catalogRecord() };
  const answering = (listener: (path: string) => number): Program => {
    return () => ({ output: [], listener: (path) => ({ status: listener(path), body: '' }), ended: null });
  };

  for (const [what, listener, endpoint, line] of [
    [
      'a service with a page, but no health endpoint',
      (path: string) => (path === '/' ? 200 : 404),
      '/',
      /^Ready: GET .*\/ answered 200$/,
    ],
    [
      'a service that leads visitors elsewhere',
      (path: string) => (path === '/' ? 302 : 404),
      '/',
      /answered 302, which is enough: .* below 500 counts/,
    ],
    ['an API without a page', () => 404, '/', /answered 404, which is enough/],
    ['a service that wants a sign-in everywhere', () => 401, '/health', /health answered 401, which is enough/],
    ['a service with the usual endpoint', () => 200, '/health', /^Ready: GET .*\/health answered 200$/],
  ] as const) {
    it(`${what} is ready where nobody declared an endpoint, and its release remembers what to ask`, async () => {
      const { parts, attempt } = await withImage(answering(listener), { settings: { readinessTimeoutMs: 600_000 } });
      const step = attempt(undeclared);
      const { releaseId = '' } = await installWorkload(parts, step);
      const release = await parts.releases.find(releaseId);
      assert.deepEqual([release?.healthEndpoint, release?.healthRule], [endpoint, 'alive']);
      assert.ok(
        step.lines.some((text) => line.test(text)),
        step.lines.join('\n'),
      );
      const tells = step.lines.some((text) => text.includes('declare platform.io/health-endpoint'));
      assert.equal(tells, endpoint === '/', 'what to declare is said where another endpoint is asked');
    });
  }

  it('a service that fails at every path is not ready, whether an endpoint is declared or not', async () => {
    const { parts, attempt } = await withImage(answering((path) => (path === '/' ? 500 : 404)));
    await assert.rejects(installWorkload(parts, attempt(undeclared)), {
      code: 'HEALTH_CHECK_FAILED',
      message: /\/ answered 500/,
    });
  });

  it('a build that waits for its service gives its slot to those that have something to build', async (t) => {
    let probes = 0;
    const slow: Program = (spec) => ({
      ...healthyProgram(spec),
      listener: () => {
        probes += 1;
        clock.tick(1_000);
        return { status: probes < 8 ? 503 : 200, body: '{}' };
      },
    });
    const { parts, attempt, build } = await withImage(slow, { settings: { readinessTimeoutMs: 600_000 } });
    const clock = movableMonotonicClock(t.mock);
    const released: [string, number][] = [];
    const releaseSlot = async (buildId: string): Promise<void> => void released.push([buildId, probes]);
    await installWorkload({ ...parts, workflows: { ...parts.workflows, releaseSlot } }, attempt(facts));
    assert.deepEqual(released, [[build.buildId, 5]]);
  });

  it('the clock of the machine set ahead ends no wait for a service', async (t) => {
    let probes = 0;
    const slow: Program = (spec) => ({
      ...healthyProgram(spec),
      listener: () => {
        probes += 1;
        if (probes === 1) setClockAhead(t.mock);
        return { status: probes < 3 ? 503 : 200, body: '{}' };
      },
    });
    const { parts, attempt } = await withImage(slow, { settings: { readinessTimeoutMs: 600_000 } });
    await installWorkload(parts, attempt(facts));
    assert.equal(probes, 3);
  });

  const TRACE = ['Error: DATABASE_URL is not set', '    at main (/app/server.js:3:9)'];
  for (const [what, output, said] of [
    [
      'printed an error and listens nowhere',
      TRACE,
      /it printed an error, nothing for 10 seconds since, and listens nowhere/,
    ],
    [
      'is started again and again by its process manager',
      [
        'PM2 | App [web:0] exited with code [1] via signal [SIGINT]',
        'PM2 | App [web:0] starting',
        'PM2 | App [web:0] exited with code [1] via signal [SIGINT]',
      ],
      /a process manager runs, and its program ended with an error/,
    ],
    [
      'is started again by pm2 in cluster mode, where its crash has code 0 and a long stack',
      [
        '12:00:01 0|app  | Error: boom',
        ...Array.from({ length: 30 }, () => '12:00:01 0|app  |     at main (/app/a.js:1:1)'),
        '2026-01-01T12:00:01: PM2 log: App [app:0] exited with code [0] via signal [SIGINT]',
        '2026-01-01T12:00:01: PM2 log: Script /app/a.js had too many unstable restarts (16). Stopped. "errored"',
        '12:00:01 PM2      | App [app:0] exited with code [0] via signal [SIGINT]',
      ],
      /a process manager runs.*\nIt printed: 12:00:01 0\|app {2}\| Error: boom/,
    ],
    [
      'crashed under a watcher',
      ['[nodemon] app crashed - waiting for file changes before starting...'],
      /a process manager runs/,
    ],
    ['crashed under the watcher of Node.js', ["Failed running 'server.js'"], /a process manager runs/],
    [
      'is started again by forever',
      [
        'error: Forever detected script exited with code: 1',
        'error: Script restart attempt #1',
        'error: Forever detected script exited with code: 1',
      ],
      /a process manager runs/,
    ],
    [
      'is given up by supervisord',
      [
        'INFO exited: web (exit status 1; not expected)',
        'INFO gave up: web entered FATAL state, too many start retries too quickly',
      ],
      /a process manager runs/,
    ],
    [
      'is started again by supervisor',
      [
        'Program node app.js exited with code 1',
        'Starting child process with node app.js',
        'Program node app.js exited with code 1',
      ],
      /a process manager runs/,
    ],
  ] as const) {
    it(`a program that ${what} is given up in seconds, with its last lines`, async (t) => {
      const { parts, attempt } = await withImage(() => ({ output: [...output], listener: null, ended: null }), {
        settings: { readinessTimeoutMs: 120_000 },
      });
      const clock = movableMonotonicClock(t.mock);
      let seconds = 0;
      const runtime: typeof parts.runtime = {
        ...parts.runtime,
        probe: async (...given) => {
          clock.tick(1_000);
          seconds += 1;
          return await parts.runtime.probe(...given);
        },
      };
      const step = attempt(facts);
      await assert.rejects(installWorkload({ ...parts, runtime }, step), {
        code: 'HEALTH_CHECK_FAILED',
        message: said,
      });
      assert.ok(seconds < 15, `${seconds} s`);
      assert.deepEqual(step.diagnostics[0]?.lines.slice(0, output.length), output);
    });
  }

  it('a program that pm2 starts once more is waited for, though pm2 tells its end twice', async () => {
    const ended = [
      '2026-01-01T12:00:01: PM2 log: App [app:0] exited with code [1]',
      'PM2 | App [app:0] exited with code [1]',
    ];
    assert.equal(createStuckCheck(() => performance.now())(ended), null);
  });

  it('a program that stops for no known cause is told by its first error, and by the variables that it may lack', async () => {
    const output = ['starting', 'TypeError: Cannot read properties of undefined', '    at main (/app/a.js:1:1)'];
    const ending: Program = () => ({ output, listener: null, ended: 'exit code 1' });
    const { parts, attempt, build } = await withImage(ending);
    const key = { id: build.serviceId, name: 'hello', org: 'acme' };
    await parts.services.upsert(key, { config: { MYSQL_HOST: 'db' } });
    const names = ['PORT', 'MYSQL_HOST', 'MYSQL_USER', 'COOKIE_NAME'];
    const exampleVariables = { file: '.env.example', names };
    const step = attempt({ ...facts, exampleVariables, unusedContainerFile: 'Dockerfile' });
    await assert.rejects(installWorkload(parts, step), (error) => {
      assert.ok(error instanceof FairleadError);
      const [what, printed, unset, unused] = error.message.split('\n');
      assert.match(what ?? '', /the container stopped/);
      assert.equal(printed, 'It printed: TypeError: Cannot read properties of undefined');
      assert.match(unset ?? '', /^\.env\.example names variables that are not set: MYSQL_USER, COOKIE_NAME\. Set them/);
      assert.match(unused ?? '', /^The repository has a Dockerfile of its own, which was not used/);
      return true;
    });
  });

  for (const [what, declared, told] of [
    ['of a database without a server', ['mongodb'], /no MongoDB server is configured: .*DB_MONGODB_ADMIN_URI/],
    ['of a database that the catalog does not declare', [], /the catalog declares no MongoDB database/],
  ] as const) {
    it(`a program that lacks the address ${what} is told so, and not to set it`, async () => {
      const ending: Program = () => ({
        output: ['Error: MONGODB_URI is not set'],
        listener: null,
        ended: 'exit code 1',
      });
      const { parts, attempt } = await withImage(ending);
      const catalog = catalogRecord({ podTier: 'nano', healthDeclared: true, databases: declared });
      const step = attempt({ ...facts, catalog });
      await assert.rejects(installWorkload(parts, step), (error) => {
        assert.ok(error instanceof FairleadError);
        assert.match(error.message, told);
        assert.doesNotMatch(error.message, /--secret|--set/);
        return true;
      });
    });
  }

  /** A program that listens where it is not asked; `isAsked` says at which port it is. */
  const listening = (host: string, at: (env: Readonly<Record<string, string>>) => number): Program => {
    return (spec) => ({ ...healthyProgram(spec), socket: { host, port: at(spec.env) } });
  };

  /** Every probe takes a second of the clock, so that what takes seconds takes none here. */
  const inSeconds = (t: TestContext, parts: Awaited<ReturnType<typeof withImage>>['parts']) => {
    const clock = movableMonotonicClock(t.mock);
    const took = { seconds: 0 };
    const runtime: typeof parts.runtime = {
      ...parts.runtime,
      probe: async (...given) => {
        clock.tick(1_000);
        took.seconds += 1;
        return await parts.runtime.probe(...given);
      },
    };
    return { took, parts: { ...parts, runtime } };
  };
  const SILENT = { ok: false, status: null, summary: 'was cut off', commit: null };
  const PATIENT = { settings: { readinessTimeoutMs: 120_000 } };

  it('a service that listens on another port than PORT is served there, with a warning, and its releases remember it', async (t) => {
    const { parts, attempt, build, only } = await withImage(
      listening('0.0.0.0', () => 8080),
      PATIENT,
    );
    const timed = inSeconds(t, parts);
    const step = attempt(undeclared);
    const { releaseId = '' } = await installWorkload(timed.parts, step);
    assert.ok(timed.took.seconds < 20, `${timed.took.seconds} s`);
    assert.match(step.warnings.join('\n'), /listens on port 8080, not on 3000.*declare platform\.io\/port: "8080"/);
    const release = await parts.releases.find(releaseId);
    assert.deepEqual([release?.port, release?.portRule], [8080, 'found']);
    assert.deepEqual((await only()).address, (await parts.edge.current('hello', 'prod'))?.address);
    await parts.releases.activate(releaseId, { at: parts.now(), epoch: 1, buildId: build.buildId });
    const next = await useNext(parts);
    const again = recordingStep(next, undeclared);
    await installWorkload(parts, again);
    assert.deepEqual(again.warnings, [], 'the next build asks there at once');
    assert.equal((await parts.releases.find(next.buildId.replace('bld', 'rel')))?.port, 8080);
  });

  it('a service that is found at the port of its dependencies is given them at another one', async (t) => {
    const { parts, attempt, only } = await withImage(
      listening('0.0.0.0', () => 7600),
      PATIENT,
    );
    const timed = inSeconds(t, parts);
    await installWorkload(timed.parts, attempt({ ...undeclared, dependencies: [SHOP] }));
    const { port, env, dependencies } = parts.runtime.specOf(await only());
    assert.deepEqual([port, env.SHOP_URL], [7600, 'http://shop.prod.internal:7601']);
    assert.deepEqual(dependencies, [{ ...SHOP, url: env.SHOP_URL }]);
  });

  it('a service that moves away from the port where it was found is found again', async (t) => {
    const { parts, attempt, build } = await withImage(
      listening('0.0.0.0', () => 5000),
      PATIENT,
    );
    const found = releaseRecord({ id: 'rel_before', port: 8080, portRule: 'found' });
    await parts.releases.put(found);
    await parts.releases.activate('rel_before', { at: parts.now(), epoch: 1, buildId: 'bld_before' });
    await installWorkload(inSeconds(t, parts).parts, attempt(undeclared));
    assert.equal((await parts.releases.find(build.buildId.replace('bld', 'rel')))?.port, 5000);
  });

  it('a declared port is the one that is asked: a service that listens elsewhere is waited for and then told so', async (t) => {
    const { parts, attempt, routed } = await withImage(
      listening('0.0.0.0', () => 8080),
      PATIENT,
    );
    const timed = inSeconds(t, parts);
    const step = attempt({ ...facts, catalog: catalogRecord({ port: 3000 }) });
    const said = /listens on port 8080, not on 3000, which catalog-info\.yaml declares/;
    await assert.rejects(installWorkload(timed.parts, step), { code: 'HEALTH_CHECK_FAILED', message: said });
    assert.ok(timed.took.seconds >= 120);
    assert.equal(step.lines.filter((line) => said.test(line)).length, 1, 'the log tells it meanwhile, once');
    assert.equal(await routed(), null);
  });

  for (const [what, host, port, rule] of [
    ['127.0.0.1 at its port', '127.0.0.1', 3000, 'given'],
    ['::1 at its port', '::1', 3000, 'given'],
    ['127.0.0.1 at another port', '127.0.0.1', 4200, 'found'],
  ] as const) {
    it(`a service that listens on ${what} alone is forwarded to, with a warning, and its releases remember it`, async (t) => {
      const { parts, attempt, build, only } = await withImage(
        listening(host, () => port),
        PATIENT,
      );
      const { took, parts: timed } = inSeconds(t, parts);
      const step = attempt(undeclared);
      const { releaseId = '' } = await installWorkload(timed, step);
      assert.ok(took.seconds < 20, `${took.seconds} s`);
      assert.match(
        step.warnings.join('\n'),
        /listens on port \d+ of its container's loopback only.*Listen on 0\.0\.0\.0/,
      );
      assert.equal(step.warnings.join().includes('not on 3000'), port !== 3000);
      const release = await parts.releases.find(releaseId);
      assert.deepEqual([release?.port, release?.portRule, release?.onLoopback], [port, rule, true]);
      assert.deepEqual([parts.runtime.specOf(await only()).onLoopback, (await only()).releaseId], [true, releaseId]);
      await parts.releases.activate(releaseId, { at: parts.now(), epoch: 1, buildId: build.buildId });
      const next = await useNext(parts);
      await installWorkload(timed, recordingStep(next, undeclared));
      const later = await parts.releases.find(next.buildId.replace('bld', 'rel'));
      assert.deepEqual(
        [later?.port, later?.onLoopback],
        [port, true],
        'looked at anew, at the port where it was found',
      );
    });
  }

  it('a server that opens in front of what is forwarded to is asked in its place, before traffic comes', async () => {
    const { parts, attempt, build, routed } = await withImage(healthyProgram, PATIENT);
    const id = build.buildId.replace('bld', 'rel');
    const listener = { port: 3000, portRule: 'given', onLoopback: true } as const;
    await parts.releases.put(releaseRecord({ id, ...listener, imageDigest: IMAGE, config: {}, secrets: {} }));
    const runtime: typeof parts.runtime = {
      ...parts.runtime,
      listening: async () => [
        { host: '127.0.0.1', port: 3000 },
        { host: '0.0.0.0', port: 8080 },
      ],
    };
    const step = attempt(undeclared);
    await installWorkload({ ...parts, runtime }, step);
    const release = await parts.releases.find(id);
    assert.deepEqual([release?.port, release?.portRule, release?.onLoopback], [8080, 'found', false]);
    assert.notEqual(await routed(), null);
  });

  it('what listens on the loopback behind a server in front, which opens later, is not forwarded to', async (t) => {
    const { parts, attempt, build } = await withImage(healthyProgram, PATIENT);
    const { runtime } = inSeconds(t, parts).parts;
    const behind = { host: '127.0.0.1', port: 3000 };
    const given = new Set<number>();
    let looks = 0;
    const inFront: typeof runtime = {
      ...runtime,
      start: async (spec, context) => {
        given.add(spec.port);
        return await runtime.start(spec, context);
      },
      probe: async (...args) =>
        given.has(8080) ? await runtime.probe(...args) : { ...(await runtime.probe(...args)), ...SILENT },
      listening: async () => {
        looks += 1;
        return looks < 3 ? [behind] : [behind, { host: '0.0.0.0', port: 8080 }];
      },
    };
    await installWorkload({ ...parts, runtime: inFront }, attempt(undeclared));
    const release = await parts.releases.find(build.buildId.replace('bld', 'rel'));
    assert.deepEqual([release?.port, release?.onLoopback], [8080, false]);
  });

  it('of several ports on the loopback none is forwarded to that PORT does not hold', async (t) => {
    const { parts, attempt } = await withImage(healthyProgram, PATIENT);
    const sockets = [4200, 5200].map((port) => ({ host: '127.0.0.1', port }));
    const runtime: typeof parts.runtime = {
      ...inSeconds(t, parts).parts.runtime,
      listening: async () => sockets,
    };
    const { probe } = runtime;
    const silent = {
      ...runtime,
      probe: async (...given: Parameters<typeof probe>) => ({ ...(await probe(...given)), ...SILENT }),
    };
    const message =
      /listens on 127\.0\.0\.1:4200 only, where nothing outside[\s\S]*\nListen on 0\.0\.0\.0 and on the port in the variable PORT \(3000\)\.$/;
    await assert.rejects(installWorkload({ ...parts, runtime: silent }, attempt(undeclared)), { message });
  });

  it('a declared port is forwarded to as well, and no other in its place', async (t) => {
    const declared = { ...facts, catalog: catalogRecord({ port: 3000 }) };
    for (const [port, isForwarded] of [
      [3000, true],
      [4200, false],
    ] as const) {
      const { parts, attempt, build } = await withImage(
        listening('127.0.0.1', () => port),
        PATIENT,
      );
      const installing = installWorkload(inSeconds(t, parts).parts, attempt(declared));
      if (isForwarded) await installing;
      else await assert.rejects(installing, { message: /listens on 127\.0\.0\.1:4200 only/ });
      const release = await parts.releases.find(build.buildId.replace('bld', 'rel'));
      assert.deepEqual([release?.port, release?.portRule, release?.onLoopback], [3000, 'declared', isForwarded]);
      t.mock.restoreAll();
    }
  });

  it('a service that opens its port for metrics first, and is quiet for long, is waited for at the other one', async (t) => {
    const { parts, attempt, only } = await withImage(healthyProgram, PATIENT);
    const timed = inSeconds(t, parts);
    const starts = () => timed.took.seconds < 60;
    const runtime: typeof parts.runtime = {
      ...timed.parts.runtime,
      probe: async (...given) => {
        const probe = await timed.parts.runtime.probe(...given);
        return starts() ? { ...probe, ok: false, status: null } : probe;
      },
      listening: async () => [{ host: '0.0.0.0', port: starts() ? 9464 : 3000 }],
      tail: async () => ['connecting'],
    };
    const step = attempt(undeclared);
    await installWorkload({ ...parts, runtime }, step);
    assert.deepEqual(step.warnings, []);
    assert.equal((await parts.releases.find((await only()).releaseId))?.port, 3000);
  });

  it('a service that opens its port for metrics first is waited for as long as it prints', async (t) => {
    let lines = 0;
    const { parts, attempt, only } = await withImage(healthyProgram, PATIENT);
    const timed = inSeconds(t, parts);
    const starts = () => timed.took.seconds < 30;
    const runtime: typeof parts.runtime = {
      ...timed.parts.runtime,
      probe: async (...given) => {
        const probe = await timed.parts.runtime.probe(...given);
        return starts() ? { ...probe, ok: false, status: null } : probe;
      },
      listening: async () => [{ host: '0.0.0.0', port: starts() ? 9464 : 3000 }],
      tail: async () => {
        lines += 1;
        return [`migration ${lines}`];
      },
    };
    const step = attempt(undeclared);
    await installWorkload({ ...parts, runtime }, step);
    assert.deepEqual(step.warnings, []);
    assert.equal((await parts.releases.find((await only()).releaseId))?.port, 3000);
  });

  for (const [program, line] of [
    ['Node', "Error: EROFS: read-only file system, open '/app/data/x'"],
    ['a recursive mkdir of Node', "Error: ENOENT: no such file or directory, mkdir '/app/cache'"],
    ['nginx', 'mkdir() "/var/lib/nginx/body" failed (30: Read-only file system)'],
    ['SQLite', 'Error: SQLITE_CANTOPEN: unable to open database file'],
  ] as const) {
    it(`a service that writes where it may not is told so: ${program}`, async () => {
      const writing: Program = (spec, print) => ({ ...failing(503)(spec, print), output: [line] });
      const { parts, attempt } = await withImage(writing);
      const message = /write to \/tmp, or name the folder in platform\.io\/writable-paths in catalog-info\.yaml/;
      await assert.rejects(installWorkload(parts, attempt(facts)), { code: 'HEALTH_CHECK_FAILED', message });
    });
  }

  /** Ends until each folder is there, as a program does that makes them one after the other. */
  const making =
    (...folders: readonly string[]): Program =>
    (spec, print) => {
      const lacks = folders.find((folder) => !spec.writablePaths.includes(folder));
      if (lacks === undefined) return healthyProgram(spec);
      const line = `Error: ENOENT: no such file or directory, mkdir '${lacks}'`;
      return { ...failing(503)(spec, print), output: [line], ended: 'exit code 1', listener: null };
    };

  it('a service that ends because it cannot make a folder has it in memory, with a warning, and its release remembers it', async () => {
    const { parts, attempt, only } = await withImage(making('/etc/todos', 'logs'));
    const step = attempt(facts);
    const { releaseId = '' } = await installWorkload(parts, step);
    assert.match(
      step.warnings.join('\n'),
      /makes the folder \/etc\/todos[\s\S]*makes the folder logs, .*empty at each start/,
    );
    assert.deepEqual((await parts.releases.find(releaseId))?.foundFolders, ['/etc/todos', 'logs']);
    assert.deepEqual(parts.runtime.specOf(await only()).writablePaths, ['/etc/todos', 'logs']);
    await parts.releases.activate(releaseId, { at: parts.now(), epoch: 1, buildId: 'bld_before' });
    const next = await useNext(parts);
    await installWorkload(parts, recordingStep(next, facts));
    const release = await parts.releases.find(next.buildId.replace('bld', 'rel'));
    assert.equal(
      release?.foundFolders.length,
      2,
      'found anew: the next image may have them, and what it has is not hidden',
    );
  });

  it('of folders without end four are made, and the next is told', async () => {
    const { parts, attempt } = await withImage(making('/a', '/b', '/c', '/d', '/e'));
    const message = /the container stopped[\s\S]*It writes to \/e, which is read-only/;
    await assert.rejects(installWorkload(parts, attempt(facts)), { code: 'HEALTH_CHECK_FAILED', message });
  });

  it('a folder that is there, and that the service cannot make still, is told', async () => {
    const ending: Program = () => ({
      output: ["EACCES: permission denied, mkdir '/data'"],
      listener: null,
      ended: 'exit 1',
    });
    const { parts, attempt, only } = await withImage(ending);
    await assert.rejects(installWorkload(parts, attempt(facts)), { message: /It writes to \/data/ });
    assert.deepEqual((await parts.releases.find((await only()).releaseId))?.foundFolders, ['/data']);
  });

  for (const [program, line] of [
    ['Node', 'Error: connect EHOSTUNREACH 10.0.3.7:5432'],
    ['Python', 'OSError: [Errno 113] No route to host'],
    ['musl', 'could not connect to server: Host is unreachable'],
  ] as const) {
    it(`a service that connects to a private network is told who opens it: ${program}`, async () => {
      const connecting: Program = () => ({ output: [line], listener: null, ended: 'exit code 1' });
      const { parts, attempt } = await withImage(connecting);
      const message = /the container stopped.*\n.*the operator names it in WORKLOAD_NETWORKS/;
      await assert.rejects(installWorkload(parts, attempt(facts)), { code: 'HEALTH_CHECK_FAILED', message });
    });
  }

  it('an image of a container file of its own has a read-only root as well, and writes where its catalog says', async () => {
    const { parts, attempt, only } = await withImage();
    const catalog = catalogRecord({ writablePaths: ['/app/data'] });
    await installWorkload(parts, attempt({ ...facts, catalog, generatedContainerFile: false }));
    const spec = parts.runtime.specOf(await only());
    assert.deepEqual([spec.readOnlyRoot, spec.writablePaths], [true, ['/app/data']]);
    assert.deepEqual((await parts.releases.find(spec.releaseId))?.writablePaths, ['/app/data']);
  });

  it('says which port the service has to listen on when nothing answers', async () => {
    const silent: Program = () => ({ output: [], listener: null, ended: null });
    const { parts, attempt } = await withImage(silent);
    const message = /Listen on 0\.0\.0\.0 and on port 3000, which the variable PORT holds/;
    await assert.rejects(installWorkload(parts, attempt(facts)), { code: 'HEALTH_CHECK_FAILED', message });
  });

  it('says of the release before what its public route answers, and nothing that was not seen', async () => {
    const { parts, attempt, build } = await withImage(failing(503));
    const told = async (): Promise<string> => {
      const error = await installWorkload(parts, attempt(facts)).catch((caught: unknown) => caught);
      assert.ok(error instanceof FairleadError);
      return error.message;
    };
    assert.doesNotMatch(await told(), /previous release/);
    const other = `localhost:5050/hello@sha256:${'d'.repeat(64)}`;
    parts.registry.put(other, healthyProgram);
    await parts.releases.put(releaseRecord({ id: 'rel_before', imageDigest: other }));
    await parts.releases.activate('rel_before', { at: parts.now(), epoch: 1, buildId: 'bld_before' });
    assert.match(await told(), /The public route does not lead to the previous release \(rel_before\)\.$/);
    const target = { buildId: 'bld_before', releaseId: 'rel_before', service: 'hello', environment: build.environment };
    const before = await parts.runtime.start(workloadSpec(other, target), recordingContext());
    await parts.edge.route('hello', 'prod', { workloadId: before.id, address: before.address }, 1);
    assert.match(await told(), /The previous release keeps serving: GET .* answered 200\.$/);
    parts.runtime.stop(before);
    assert.match(await told(), /The previous release \(rel_before\) does not answer: GET .* answered 502\.$/);
  });

  it('an attempt that was paused until something newer acted leaves the route to it', async () => {
    const { parts, attempt, build, routed } = await withImage();
    const newer = { workloadId: 'the-newer-one', address: 'http://127.0.0.1:9' };
    const edge: typeof parts.edge = {
      ...parts.edge,
      route: async (...args) => {
        const epoch = await parts.epochs.next(build);
        await parts.edge.route('hello', 'prod', newer, epoch);
        await parts.edge.route(...args);
      },
    };
    await assert.rejects(installWorkload({ ...parts, edge }, attempt(facts)), { code: 'CONFLICT' });
    assert.deepEqual(await routed(), newer);
  });

  it('a workload that ends is not waited for', async () => {
    const ended: Program = () => ({ output: ['boom'], listener: null, ended: 'exit code 3' });
    const { parts, attempt } = await withImage(ended, { settings: { readinessTimeoutMs: 600_000 } });
    const step = attempt(facts);
    const stopped = {
      code: 'HEALTH_CHECK_FAILED',
      message: /the container stopped.*\nThe last output of the container says why\./,
    };
    await assert.rejects(installWorkload(parts, step), stopped);
    assert.match(step.diagnostics[0]?.lines.join('\n') ?? '', /boom\n.*exit code 3/);
  });

  it('an image that cannot be had ends the build', async () => {
    const { parts, attempt } = await withImage();
    const unknown = { ...facts, imageDigest: IMAGE.replace('aaa', 'bbb') };
    await assert.rejects(installWorkload(parts, attempt(unknown)), { code: 'INSTALL_FAILED' });
  });

  it('a rollback installs the earlier release as it was, and one that is gone is RELEASE_NOT_FOUND', async () => {
    const rollback = { kind: 'rollback', releaseId: 'rel_earlier' } as const;
    const { parts, attempt, only } = await withImage(healthyProgram, { build: rollback });
    await assert.rejects(installWorkload(parts, attempt()), { code: 'RELEASE_NOT_FOUND', retryable: false });
    const earlier = { id: 'rel_earlier', imageDigest: IMAGE, config: { COLOUR: 'of then' }, secrets: {} };
    await parts.releases.put(releaseRecord({ ...earlier, commitSha: null }));
    const { releaseId } = await installWorkload(parts, attempt());
    assert.equal(releaseId, 'rel_earlier');
    const { env } = parts.runtime.specOf(await only());
    assert.deepEqual([env.COLOUR, env.GIT_COMMIT], ['of then', undefined]);
  });

  it('a rollback restores the public address and the dependencies of its release', async () => {
    const rollback = { kind: 'rollback', releaseId: 'rel_earlier' } as const;
    const { parts, attempt, only } = await withImage(healthyProgram, { build: rollback });
    const place = {
      publicUrl: 'https://hello.example',
      dependencies: [SHOP, { ...SHOP, service: 'redis', variable: null }],
    };
    await parts.releases.put(releaseRecord({ id: 'rel_earlier', imageDigest: IMAGE, secrets: {}, ...place }));
    await installWorkload(parts, attempt());
    const { env, dependencies } = parts.runtime.specOf(await only());
    assert.deepEqual([env.PUBLIC_URL, env.SHOP_URL, env.REDIS_URL], ['https://hello.example', SHOP.url, undefined]);
    assert.deepEqual(
      dependencies.map(({ service }) => service),
      ['shop', 'redis'],
    );
  });

  it('the address of a dependency wins over a declared default, and what a person set over both', async () => {
    const config = [{ key: 'SHOP_URL', secret: false, required: false, default: 'http://localhost:4000' }];
    const found = { ...facts, catalog: catalogRecord({ config }), dependencies: [SHOP] };
    const given = async (service: Given['service']) => {
      const { parts, attempt, only } = await withImage(healthyProgram, { service: service ?? {} });
      await installWorkload(parts, attempt(found));
      const { env, dependencies, releaseId } = parts.runtime.specOf(await only());
      assert.deepEqual(dependencies, (await parts.releases.find(releaseId))?.dependencies);
      assert.equal(dependencies[0]?.url, SHOP.url, 'it is reached all the same');
      return env.SHOP_URL;
    };
    const secret = createInMemoryDeploys().cipher.seal('https://secret.example', { service: 'hello', key: 'SHOP_URL' });
    assert.equal(await given({}), SHOP.url);
    assert.equal(await given({ config: { SHOP_URL: 'https://mine.example' } }), 'https://mine.example');
    assert.equal(await given({ secrets: { SHOP_URL: secret } }), 'https://secret.example');
  });

  it('an attempt that is aborted before it starts, or while it waits, ends with the reason', async () => {
    const { parts, attempt, routed } = await withImage(failing(503), { settings: { readinessTimeoutMs: 600_000 } });
    const early = attempt(facts, AbortSignal.abort(new Error('cancelled')));
    await assert.rejects(installWorkload(parts, early), /cancelled/);
    assert.deepEqual(await parts.runtime.listAll(), []);
    const abort = new AbortController();
    const step = attempt(facts, abort.signal);
    const waiting = installWorkload(parts, step);
    abort.abort(new Error('cancelled while waiting'));
    await assert.rejects(waiting, /cancelled while waiting|aborted/);
    assert.equal(await routed(), null);
  });
});
