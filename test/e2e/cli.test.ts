import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { runCli, startCli } from '../cli/run-cli.ts';
import { waitUntil } from '../support/wait-until.ts';
import { connection, copyApp, getBuild, removeService, uniqueName, visit } from './harness.ts';

/** The command line as people and scripts use it, one command after the other on one service. */

const failureSchema = z.object({
  success: z.literal(false),
  error: z.object({ code: z.string(), message: z.string(), remedy: z.string().optional() }),
  exitCode: z.int(),
});
const eventSchema = z.looseObject({ event: z.string() });
const buildSchema = z.looseObject({ id: z.string(), status: z.string(), reason: z.string().nullable() });
const resultSchema = z.object({ event: z.literal('result'), success: z.boolean(), data: buildSchema.optional() });

describe('the command line on a real stack', () => {
  const name = uniqueName('cli');
  let folder: string;
  const builds: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-cli-'));
    await copyApp('own-dockerfile-user', folder, name);
    const server = await readFile(join(folder, 'server.js'), 'utf8');
    const asked = "console.log('asked for', _request.url);";
    const talking = server.replace('  response.setHeader', `  ${asked}\n  response.setHeader`);
    await writeFile(join(folder, 'server.js'), `console.log('started');\n${talking}`);
  });

  after(async () => {
    await removeService(name);
    await rm(folder, { recursive: true, force: true });
  });

  it('link registers a service, and says that it has no repository', async () => {
    const { code, stdout } = await cli('link', folder);
    assert.equal(code, 0);
    assert.equal(stdout, `Linked ${name}, deployed by upload: it has no git remote\n`);
    const status = await cli('status', name);
    assert.equal(status.code, 0);
    assert.equal(status.stdout, `${name} was never deployed. Start: fairlead deploy\n`);
  });

  it('deploy --plan shows every step, runs none, and leaves no build', async () => {
    const plan = await document(
      z.looseObject({ steps: z.array(z.looseObject({ key: z.string(), state: z.string() })) }),
      'deploy',
      folder,
      '--plan',
    );
    const keys = plan.steps.filter(({ state }) => state === 'pending').map(({ key }) => key);
    assert.deepEqual(keys.slice(0, 3), ['source', 'catalog', 'container-file']);
    assert.ok(keys.includes('install') && keys.includes('health-check'), keys.join());
    const text = await cli('deploy', folder, '--plan');
    assert.equal(text.code, 0);
    assert.match(text.stdout, /Build image[\s\S]*Install workload[\s\S]*Check health/);
    assert.deepEqual((await listBuilds()).items, []);
  });

  it('deploy uploads the folder, follows the build and ends with the address', async () => {
    const { code, stdout } = await cli('deploy', folder);
    assert.equal(code, 0, stdout);
    const { edgePort } = await connection();
    assert.match(stdout, new RegExp(`http://${name}\\.prod\\.localhost:${edgePort}`));
    assert.equal((await visit(name)).status, 200);
    const [build] = (await listBuilds()).items;
    assert.equal(build?.status, 'completed');
    builds.push(build?.id ?? '');
  });

  it('deploy --quiet prints the address alone; builds --quiet the ids', async () => {
    await writeFile(join(folder, 'version.txt'), '2\n');
    const { code, stdout } = await cli('deploy', folder, '--quiet');
    assert.equal(code, 0, stdout);
    const { edgePort } = await connection();
    assert.equal(stdout, `http://${name}.prod.localhost:${edgePort}\n`);
    const ids = (await cli('builds', name, '--quiet')).stdout.trimEnd().split('\n');
    assert.equal(ids.length, 2);
    assert.equal(ids[1], builds[0]);
    builds.unshift(ids[0] ?? '');
  });

  it('logs shows the log of a build, and -f of one that ended ends', async () => {
    const shown = await cli('logs', builds[0] ?? '');
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /USER app became USER 1001/);
    const followed = await events('logs', builds[0] ?? '', '-f');
    assert.equal(followed.code, 0);
    assert.ok(followed.events.some((event) => event.event === 'line'));
    assert.equal(followed.events.at(-1)?.event, 'result');
  });

  it('tail shows what the service printed, by the release; -f goes on with what it prints, and Ctrl-C ends it', async () => {
    const printed = z.looseObject({ items: z.array(z.looseObject({ text: z.string(), release: z.string() })) });
    await waitUntil('lines of both releases', async () => {
      const { items } = await document(printed, 'tail', name);
      const found = new Set(items.filter(({ text }) => text === 'started').map(({ release }) => release));
      return found.size === 2;
    });
    const following = startCli(await target(), ['tail', name, '-f', '--contains', 'asked for /tail'], await options());
    await waitUntil('an answer', async () => (await visit(name, '/tail')).status > 0);
    await waitUntil('the printed line', () => following.text().includes('asked for /tail'));
    following.child.kill('SIGINT');
    assert.equal((await following.done).code, 130);
  });

  it('status names address and last build', async () => {
    const status = await document(
      z.looseObject({
        service: z.looseObject({ environments: z.array(z.looseObject({ buildId: z.string(), url: z.string() })) }),
        lastBuilds: z.array(buildSchema),
      }),
      'status',
      name,
    );
    assert.equal(status.service.environments[0]?.buildId, builds[0]);
    assert.equal(status.lastBuilds[0]?.id, builds[0]);
    const opened = await cli('open', name);
    assert.equal(opened.stdout.trim(), status.service.environments[0]?.url);
  });

  it('rollback installs the release before, without a build', async () => {
    const { code, events: seen } = await events('rollback', name);
    assert.equal(code, 0, JSON.stringify(seen.at(-1)));
    const result = resultSchema.parse(seen.at(-1));
    assert.equal(result.success, true);
    const build = await getBuild(result.data?.id ?? '');
    assert.equal(build.kind, 'rollback');
    assert.equal(build.steps.find(({ key }) => key === 'image-build')?.state, 'reused');
    assert.equal((await visit(name)).status, 200);
  });

  it('cancel returns when the build has ended, and a second one is a conflict', async () => {
    const dockerfile = 'FROM node:24-alpine\nRUN echo hanging && sleep 600\nUSER 1001\nCMD ["node", "server.js"]\n';
    await writeFile(join(folder, 'Dockerfile'), dockerfile);
    const accepted = await document(z.looseObject({ buildId: z.string() }), 'deploy', folder, '--detach');
    const id = accepted.buildId;
    await waitUntil('the build of the image', async () => (await getBuild(id)).status === 'building', {
      withinMs: 30_000,
      everyMs: 200,
    });
    const following = startCli(await target(), ['logs', id, '-f'], await options());
    const cancelled = await document(buildSchema, 'cancel', id);
    assert.equal(cancelled.id, id);
    assert.equal(cancelled.reason, 'cancelled');
    assert.equal((await following.done).code, 1, 'who followed it is told that it did not succeed');
    const again = await failure('cancel', id);
    assert.equal(again.exitCode, 6);
    assert.equal(again.error.code, 'BUILD_FINISHED');
  });

  it('a failed build ends with exit 1 and its reason; retry from a step fails the same way', async () => {
    await writeFile(join(folder, 'Dockerfile'), 'FROM node:24-alpine\nUSER root\n');
    const { code, events: seen } = await events('deploy', folder);
    assert.equal(code, 1);
    const last = z.looseObject({ success: z.boolean(), error: z.looseObject({ code: z.string() }) }).parse(seen.at(-1));
    assert.equal(last.success, false);
    assert.equal(last.error.code, 'CONTAINER_ROOT_USER');
    assert.equal((await visit(name)).status, 200, 'the release before serves');
    const retried = await events('retry', name, '--from', 'source');
    assert.equal(retried.code, 1);
    assert.match(JSON.stringify(retried.events.at(-1)), /CONTAINER_ROOT_USER/);
    const unknown = await failure('retry', name, '--from', 'no-such-step');
    assert.equal(unknown.error.code, 'STEP_UNKNOWN');
    assert.equal(unknown.exitCode, 2);
  });

  it('what does not exist, a wrong key, and no API have exit codes of their own', async () => {
    assert.equal((await failure('status', 'no-such-service')).exitCode, 3);
    assert.equal((await failure('logs', 'bld_nosuchbuild')).exitCode, 3);
    const api = await target();
    const env = { FAIRLEAD_KEY: 'x'.repeat(40) };
    assert.equal((await runCli(api, ['services', '--json'], { env })).code, 4);
    const away = await runCli({ url: 'http://127.0.0.1:9' }, ['services', '--json'], await options());
    assert.equal(away.code, 5);
    assert.equal((await runCli(api, ['no-such-command'], { env })).code, 2);
  });

  it('services delete asks for --yes, then takes the service off line', async () => {
    assert.equal((await failure('services', 'delete', name)).exitCode, 2);
    assert.equal((await visit(name)).status, 200);
    assert.equal((await cli('services', 'delete', name, '--yes')).code, 0);
    assert.equal((await visit(name)).status, 404);
    assert.equal((await failure('status', name)).exitCode, 3);
  });

  async function listBuilds() {
    return await document(z.looseObject({ items: z.array(buildSchema) }), 'builds', name);
  }
});

async function target(): Promise<{ url: string }> {
  return { url: (await connection()).api };
}

async function options(): Promise<{ env: Record<string, string> }> {
  return { env: { FAIRLEAD_KEY: (await connection()).key } };
}

async function cli(...args: string[]) {
  return await runCli(await target(), args, await options());
}

/** The data of a command that prints one envelope. */
async function document<T extends z.ZodType>(data: T, ...args: string[]): Promise<z.infer<T>> {
  const { code, stdout, stderr } = await cli(...args, '--json');
  assert.equal(code, 0, stdout + stderr);
  assert.equal(stderr, '', 'stdout has it all');
  const envelope = z.object({ success: z.literal(true), data: z.unknown() }).parse(JSON.parse(stdout));
  return data.parse(envelope.data);
}

/** The events of a command that follows a build. */
async function events(...args: string[]) {
  const { code, stdout } = await cli(...args, '--json');
  const lines = stdout.trimEnd().split('\n');
  return { code, events: lines.map((line) => eventSchema.parse(JSON.parse(line))) };
}

/** The error of a command that is refused. */
async function failure(...args: string[]) {
  const { code, stdout } = await cli(...args, '--json');
  const parsed = failureSchema.parse(JSON.parse(stdout));
  assert.equal(parsed.exitCode, code);
  return parsed;
}
