import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { buildWorkflowId, coordinatorWorkflowId } from '../../domain/deploys/messages.ts';
import { collectText } from '../e2e/collect-text.ts';
import { api, type Build, connection, createService, ended, logText, trigger } from '../e2e/harness.ts';
import { containersOf, docker, temporalClient } from '../e2e/sample-service.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Attacker } from './attacker.ts';
import type { HostileStack } from './hostile-stack.ts';
import { assertClean } from './secret-places.ts';
import { watchProcesses } from './watch-processes.ts';

/**
 * An app that gives away what it is given, as far as it can: its image build prints the build-time env file, and it prints
 * its own variables when it crashes, the credential of its OAuth client among them. It is cloned with the git host's token.
 */
const FILES: Readonly<Record<string, string>> = {
  Dockerfile: `FROM node:24-alpine
WORKDIR /app
COPY . .
RUN cat .env.production
RUN node -e 'console.log(Buffer.from(require("fs").readFileSync(".env.production","utf8").split("=")[1].trim()).toString("base64"))'
USER 1001
EXPOSE 4000
CMD ["node", "leak.js"]
`,
  'leak.js': `
console.log('BUILD_SEED', process.env.BUILD_SEED);
console.error('connecting with', process.env.LEDGER_PASSWORD);
console.error(new Error('cannot log in: password is ' + process.env.LEDGER_PASSWORD + ' ' + JSON.stringify(process.env)));
process.exit(1);
`,
  'catalog-info.yaml': `metadata:
  name: leaky
  annotations:
    platform.io/catalog-version: 0.6.0
    platform.io/dockerfile: Dockerfile
    platform.io/port: 4000
    platform.io/env-vars: BUILD_SEED
spec:
  owner: platform
  auth: { mode: service-only }
`,
};
const NAME = 'leaky';

export interface LeakyDeploy {
  readonly build: Build;
  /** The arguments of all processes of the machine while it ran. */
  readonly processes: ReadonlySet<string>;
  /** What the API says of the service and its build, errors included. */
  readonly replies: readonly string[];
}

/** Deploys the app to its end; the credential that it is given is then among the secrets of the stack. */
export async function deployLeaky({ secrets }: HostileStack, { publish }: Attacker): Promise<LeakyDeploy> {
  const { leakyBuild = '', leakyConfig = '' } = secrets;
  const gitUrl = await publish(async ({ write }) => {
    for (const [name, text] of Object.entries(FILES)) await write(name, text);
  });
  const given = { secrets: { BUILD_SEED: leakyBuild }, config: { LEDGER_PASSWORD: leakyConfig } };
  await createService(NAME, { gitUrl, branch: 'main', ...given });
  const watch = watchProcesses();
  try {
    const { buildId } = await trigger(NAME);
    secrets.leakyCredential = await credentialOf(buildId);
    const build = await ended(buildId);
    return { build, processes: watch.stop(), replies: await everyReply(build.id, leakyBuild) };
  } finally {
    watch.stop();
  }
}

/** The secret of the OAuth client, as the container of a build has it. */
async function credentialOf(buildId: string): Promise<string> {
  return await waitUntil('a container with the credential', async () => {
    for (const { Id } of await containersOf(buildId)) {
      const found = await docker
        .getContainer(Id)
        .inspect()
        .catch(() => null); // it is being removed
      const given = found?.Config.Env.find((variable) => variable.startsWith('IDP_CLIENT_SECRET='));
      if (given !== undefined) return given.slice(given.indexOf('=') + 1);
    }
    return null;
  });
}

async function everyReply(buildId: string, secret: string): Promise<string[]> {
  const paths = [
    ...['/services', `/services/${NAME}`, `/services/${NAME}/releases`],
    ...['/builds', `/builds/${buildId}`, `/builds/${buildId}/logs`, '/health'],
  ];
  const replies = paths.map(async (path) => `GET ${path} ${JSON.stringify(await api('GET', path))}`);
  const stored = await api('POST', '/services', { name: NAME, branch: 'main' });
  const refused = await api('POST', '/services', { name: NAME, secrets: { PORT: secret } });
  return [...(await Promise.all(replies)), `POST ${JSON.stringify(stored)}`, `POST ${JSON.stringify(refused)}`];
}

/** Besides the places that the corpus looks at in the end. */
export function describeLeakyApp(scene: () => { h: HostileStack; leaky: Promise<LeakyDeploy> }): void {
  describe('no planted secret, after a deploy that did its best to leak four, is in', () => {
    let deploy: LeakyDeploy;
    let secrets: Readonly<Record<string, string>>;
    before(async () => {
      deploy = await scene().leaky;
      ({ secrets } = scene().h);
    });

    it('what it redacts: it cloned with the token, built with the secret, and crashed with password and credential', async () => {
      const { build } = deploy;
      const { requests } = scene().h.gitHost;
      assert.ok(requests.some(({ authorization }) => authorization?.startsWith('Basic ')));
      const log = await logText(build.id);
      assert.equal(build.failure?.code, 'HEALTH_CHECK_FAILED', `${build.failure?.message}\n${log}`);
      assert.match(log, /Build-time variables: BUILD_SEED$/m);
      assert.match(log, /BUILD_SEED=\[REDACTED\]/);
      const output = build.diagnostics.flatMap(({ lines }) => lines).join('\n');
      assert.match(output, /connecting with \[REDACTED\]/);
    });

    it('its log, as JSON pages and as a stream', async () => {
      assertClean(await logText(deploy.build.id), 'the log', secrets);
      assertClean(await logStream(deploy.build.id), 'the stream of the log', secrets);
    });

    it('replies of the API', () => {
      for (const reply of deploy.replies) assertClean(reply, reply.slice(0, 60), secrets);
    });

    it('the arguments of any process', () => {
      assert.ok(
        [...deploy.processes].some((line) => /\bgit\b/.test(line)),
        'git was seen at work',
      );
      for (const line of deploy.processes) assertClean(line, 'a process', secrets);
    });

    it('the histories of its workflows, whose payloads can be read', async () => {
      await using temporal = await temporalClient();
      for (const id of [buildWorkflowId(deploy.build.id), coordinatorWorkflowId(NAME, 'prod')]) {
        const text = collectText(await temporal.client.workflow.getHandle(id).fetchHistory());
        assert.match(text, new RegExp(NAME), id);
        assertClean(text, id, secrets);
      }
    });
  });
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
