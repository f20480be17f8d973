import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { MongoClient } from 'mongodb';
import { buildWorkflowId, coordinatorWorkflowId } from '../../domain/deploys/messages.ts';
import { type Stack, startStack } from '../../infra/dev/stack.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { type GitHttpServer, startGitHttpServer } from '../adapters/git/git-http-server.ts';
import { stackDatabaseUri } from '../support/stack-database.ts';
import { collectText } from './collect-text.ts';
import {
  api,
  type Build,
  connection,
  createService,
  ended,
  logText,
  type Repository,
  removeService,
  repositoryOf,
  trigger,
  uniqueName,
} from './harness.ts';
import { temporalClient } from './sample-service.ts';
import { watchProcesses } from './watch-processes.ts';

/**
 * Three secrets are planted where a deploy handles secrets, in an app that gives them away as far as it can: its image
 * build prints the build-time env file, and it prints its own variables when it crashes. They are then looked for
 * everywhere. The stack is one of its own, because the git host and its token are configuration of the worker.
 */
const canary = (kind: string) => `canary${kind}${randomBytes(12).toString('hex')}`;
const SECRETS = { clone: canary('clone'), build: canary('build'), runtime: canary('runtime') };

const DOCKERFILE = `FROM node:24-alpine
WORKDIR /app
COPY . .
RUN cat .env.production
RUN node -e 'console.log(Buffer.from(require("fs").readFileSync(".env.production","utf8").split("=")[1].trim()).toString("base64"))'
USER 1001
EXPOSE 4000
CMD ["node", "server.js"]
`;
const SERVER = `
console.log('BUILD_SEED', process.env.BUILD_SEED);
console.error('connecting with', process.env.LEDGER_PASSWORD);
console.error(new Error('cannot log in: password is ' + process.env.LEDGER_PASSWORD + ' ' + JSON.stringify(process.env)));
process.exit(1);
`;

describe('a planted secret is found nowhere after a deploy that did its best to leak it', () => {
  const service = uniqueName('canary');
  let stack: Stack;
  let host: GitHttpServer;
  let repository: Repository;
  let dataDir: string;
  let build: Build;
  let processes: ReadonlySet<string>;
  const replies: string[] = [];
  const outerStack = process.env.FAIRLEAD_TEST_STACK;

  before(async () => {
    repository = await leakyRepository(service);
    host = await startGitHttpServer(dirname(repository.path), SECRETS.clone);
    dataDir = await mkdtemp(join(tmpdir(), 'fairlead-canary-'));
    stack = await startStack({
      dataDir,
      ports: 'free',
      env: process.env,
      report: silentReporter,
      disposable: true,
      variables: { GIT_URL: host.url, GIT_TOKEN: SECRETS.clone, READINESS_TIMEOUT_SECONDS: '10', LOG_LEVEL: 'debug' },
    });
    process.env.FAIRLEAD_TEST_STACK = dataDir;
    const watch = watchProcesses();
    build = await deployLeaky(service, `${host.url}/${basename(repository.path)}/.git`);
    processes = watch.stop();
    replies.push(...(await everyReply(service, build.id)));
  });

  after(async () => {
    await removeService(service);
    await stack.stop();
    if (outerStack !== undefined) process.env.FAIRLEAD_TEST_STACK = outerStack;
    await host.close();
    await repository[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('the deploy cloned with the token, built with the secret, and crashed with the password', async () => {
    assert.ok(host.requests.some(({ authorization }) => authorization?.startsWith('Basic ')));
    assert.equal(build.failure?.code, 'HEALTH_CHECK_FAILED', `${build.failure?.message}\n${await logText(build.id)}`);
    const log = await logText(build.id);
    assert.match(log, /Build-time variables: BUILD_SEED$/m);
    assert.match(log, /BUILD_SEED=\[REDACTED\]/);
    const output = build.diagnostics.flatMap(({ lines }) => lines).join('\n');
    assert.match(output, /connecting with \[REDACTED\]/);
  });

  it('not in build logs, as JSON pages and as a stream', async () => {
    assertClean(await logText(build.id), 'the log');
    assertClean(await logStream(build.id), 'the stream of the log');
  });

  it('not in replies of the API', () => {
    for (const reply of replies) assertClean(reply, reply.slice(0, 60));
  });

  it('not in the arguments of any process', () => {
    assert.ok(
      [...processes].some((line) => /\bgit\b/.test(line)),
      'git was seen at work',
    );
    for (const line of processes) assertClean(line, 'a process');
  });

  it('not in the database: builds and logs hold none, other records none in plain text that was given as a secret', async () => {
    const mongo = await MongoClient.connect(await stackDatabaseUri(stack.dataDir, stack.addresses.mongo));
    try {
      const collections = await mongo.db().collections();
      assert.ok(collections.length >= 4);
      for (const collection of collections) {
        const text = JSON.stringify(await collection.find().toArray());
        const { runtime, ...sealed } = SECRETS;
        // Plain config is stored as it was given, by the service and by the releases that are rolled back to.
        const isConfig = /service|release/i.test(collection.collectionName);
        assertClean(text, collection.collectionName, isConfig ? sealed : SECRETS);
      }
    } finally {
      await mongo.close();
    }
  });

  it('not in the histories of workflows, payloads decoded', async () => {
    await using temporal = await temporalClient();
    const ids: string[] = [];
    for await (const { workflowId, runId } of temporal.client.workflow.list()) {
      ids.push(workflowId);
      const history = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
      assertClean(collectText(history), workflowId);
    }
    assert.ok(ids.includes(buildWorkflowId(build.id)), ids.join());
    assert.ok(ids.includes(coordinatorWorkflowId(service, 'prod')), ids.join());
    const text = collectText(await temporal.client.workflow.getHandle(buildWorkflowId(build.id)).fetchHistory());
    assert.match(text, new RegExp(service), 'payloads were readable');
  });

  it("not in the platform's own logs", async () => {
    const folder = join(dataDir, 'logs');
    const files = await readdir(folder);
    assert.ok(files.length >= 3);
    for (const file of files) assertClean(await readFile(join(folder, file), 'utf8'), file);
  });
});

/** An app that gives away what it is given. */
async function leakyRepository(service: string): Promise<Repository> {
  const repository = await repositoryOf('own-dockerfile-user', service);
  const catalog = join(repository.path, 'catalog-info.yaml');
  const text = await readFile(catalog, 'utf8');
  await writeFile(catalog, text.replace('annotations:', 'annotations:\n    platform.io/env-vars: BUILD_SEED'));
  await writeFile(join(repository.path, 'Dockerfile'), DOCKERFILE);
  await writeFile(join(repository.path, 'server.js'), SERVER);
  await repository.commit('leak');
  return repository;
}

async function deployLeaky(service: string, gitUrl: string): Promise<Build> {
  await createService(service, {
    gitUrl,
    secrets: { BUILD_SEED: SECRETS.build },
    config: { LEDGER_PASSWORD: SECRETS.runtime },
  });
  const { buildId } = await trigger(service);
  return await ended(buildId);
}

/** What the API says about a service and its build, errors included. */
async function everyReply(service: string, buildId: string): Promise<string[]> {
  const paths = [
    ...['/services', `/services/${service}`, `/services/${service}/releases`],
    ...['/builds', `/builds/${buildId}`, `/builds/${buildId}/logs`, '/health'],
  ];
  const replies = paths.map(async (path) => `GET ${path} ${JSON.stringify(await api('GET', path))}`);
  const stored = await api('POST', '/services', { name: service, branch: 'main' });
  const refused = await api('POST', '/services', { name: service, secrets: { PORT: SECRETS.build } });
  return [...(await Promise.all(replies)), `POST ${JSON.stringify(stored)}`, `POST ${JSON.stringify(refused)}`];
}

/** The log of a build that has ended, as a stream: it ends by itself. */
async function logStream(buildId: string): Promise<string> {
  const { api: address, key } = await connection();
  const headers = { 'x-internal-key': key, accept: 'text/event-stream' };
  const response = await fetch(`${address}/builds/${buildId}/logs`, { headers, signal: AbortSignal.timeout(20_000) });
  assert.match(response.headers.get('content-type') ?? '', /event-stream/);
  const text = await response.text();
  assert.match(text, /event: end/);
  return text;
}

function assertClean(text: string, where: string, secrets: Readonly<Record<string, string>> = SECRETS): void {
  for (const [kind, secret] of Object.entries(secrets)) {
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
    for (const form of [secret, base64, Buffer.from(`oauth2:${secret}`).toString('base64')]) {
      const at = text.indexOf(form);
      assert.equal(at, -1, `the ${kind} secret is in ${where}: …${text.slice(Math.max(0, at - 80), Math.max(0, at))}`);
    }
  }
}
