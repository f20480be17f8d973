import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { z } from 'zod';
import type { buildViewSchema, triggerReplySchema } from '../../domain/deploys/schema.ts';
import type { Environment } from '../../domain/environment.ts';
import type { PartState } from '../../infra/dev/stack-state.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { lookLessOften, waitUntil } from '../support/wait-until.ts';

/** What end-to-end tests do to the running stack: through its API and its public addresses, as a user would. */

const run = promisify(execFile);
const FIXTURES = new URL('../fixtures/apps/', import.meta.url);

export type Build = z.infer<typeof buildViewSchema>;
export type TriggerReply = z.infer<typeof triggerReplySchema>;

interface Connection {
  readonly api: string;
  readonly key: string;
  readonly edgePort: number;
  readonly temporalUi: string | null;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

function stackFolder(): string {
  const folder = process.env.FAIRLEAD_TEST_STACK;
  if (folder === undefined) throw new Error('run end-to-end tests by npm test, which starts a stack for them');
  return folder;
}

export async function connection(): Promise<Connection> {
  return JSON.parse(await readFile(join(stackFolder(), 'connection.json'), 'utf8'));
}

/** The rows of `state.json`: process ids, addresses, restarts. */
export async function parts(): Promise<Record<string, PartState>> {
  return JSON.parse(await readFile(join(stackFolder(), 'state.json'), 'utf8'));
}

export const dataFolder = stackFolder;

/** One call of the builder's API. */
export async function api<T>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; data: T; error: { code: string; message: string } }> {
  const { api: address, key } = await connection();
  const isBytes = body instanceof Uint8Array;
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      'x-internal-key': key,
      ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/gzip' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const envelope = (await response.json()) as { data: T; error: { code: string; message: string } };
  return { status: response.status, data: envelope.data, error: envelope.error };
}

export async function getBuild(id: string): Promise<Build> {
  const reply = await api<Build>('GET', `/builds/${id}`);
  if (reply.status !== 200) throw new Error(`GET /builds/${id}: ${JSON.stringify(reply.error)}`);
  return reply.data;
}

/** Waits for the end of a build; survives a restart of the API. */
export async function ended(id: string, timeoutMs = 4 * PATIENCE_MS): Promise<Build> {
  return await waitUntil(
    `the end of ${id}`,
    async () => {
      const build = await getBuild(id).catch(() => null);
      return build !== null && (build.status === 'completed' || build.status === 'failed') ? build : null;
    },
    {
      withinMs: timeoutMs,
      // A hundred builds are followed at once, most of which wait for their turn.
      everyMs: lookLessOften({ atFirstMs: 100, atLastMs: 2_000 }),
    },
  );
}

/** Waits for the end and expects success; a failure shows the build's log. */
export async function completed(id: string, timeoutMs?: number): Promise<Build> {
  const build = await ended(id, timeoutMs);
  if (build.status !== 'completed') throw new Error(`${JSON.stringify(build.failure)}\n${await logText(id)}`);
  return build;
}

export async function logText(id: string): Promise<string> {
  const lines: string[] = [];
  for (let after = 0; ; ) {
    const { data } = await api<{ items: { seq: number; text: string }[] }>(
      'GET',
      `/builds/${id}/logs?after=${after}&limit=1000`,
    );
    lines.push(...data.items.map(({ text }) => text));
    const last = data.items.at(-1);
    if (last === undefined) return lines.join('\n');
    after = last.seq;
  }
}

/** A name no other test uses. */
export const uniqueName = (prefix: string) => `${prefix}-${randomBytes(3).toString('hex')}`;

export interface Repository {
  readonly path: string;
  readonly git: (...args: string[]) => Promise<string>;
  /** Commits everything and returns the commit. */
  readonly commit: (message: string) => Promise<string>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Copies a sample app into `folder`; `service` becomes the name in its catalog, which must be the service's. */
export async function copyApp(app: string, folder: string, service = app): Promise<void> {
  await cp(new URL(`${app}/`, FIXTURES), folder, { recursive: true });
  const catalog = join(folder, 'catalog-info.yaml');
  const text = await readFile(catalog, 'utf8').catch(() => null);
  if (text !== null) await writeFile(catalog, text.replace(`name: ${app}`, `name: ${service}`));
}

/** A git repository in a temporary folder, made from one of the sample apps, for the service of that name. */
export async function repositoryOf(app: string, service?: string): Promise<Repository> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-repo-'));
  await copyApp(app, path, service);
  return await gitRepository(path);
}

/** Makes a folder a git repository with one commit; it is removed with its repository. */
export async function gitRepository(path: string): Promise<Repository> {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 't',
    GIT_AUTHOR_EMAIL: 't@example.org',
    GIT_COMMITTER_NAME: 't',
    GIT_COMMITTER_EMAIL: 't@example.org',
  };
  const git = async (...args: string[]) => (await run('git', ['-C', path, ...args], { env })).stdout.trim();
  const commit = async (message: string) => {
    await git('add', '-A');
    await git('commit', '-q', '--allow-empty', '-m', message);
    return await git('rev-parse', 'HEAD');
  };
  await git('init', '-q', '-b', 'main');
  await commit('first');
  return { path, git, commit, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export async function createService(name: string, fields: Record<string, unknown>): Promise<void> {
  const { status, error } = await api('POST', '/services', { name, ...fields });
  if (status !== 200 && status !== 201) throw new Error(`POST /services: ${JSON.stringify(error)}`);
}

export async function trigger(service: string, fields: Record<string, unknown> = {}): Promise<TriggerReply> {
  const reply = await api<TriggerReply>('POST', '/builds/trigger', {
    service,
    ...fields,
  });
  if (reply.status !== 202) throw new Error(`POST /builds/trigger: ${JSON.stringify(reply.error)}`);
  return reply.data;
}

/** One request to a service's public address. */
export async function visit(service: string, path = '/', environment: Environment = 'prod'): Promise<Answer> {
  const { edgePort } = await connection();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  // Every browser says what it is, and some services rely on it.
  const headers = { host: `${service}.${environment}.localhost:${edgePort}`, 'user-agent': 'Mozilla/5.0 (tests)' };
  request({ host: '127.0.0.1', port: edgePort, path, headers, agent: false }, (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (part) => {
      body += part;
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    response.on('error', reject);
  })
    .on('error', reject)
    .end();
  return await promise;
}

/** Removes a service with all that runs for it. */
export async function removeService(name: string): Promise<void> {
  await api('DELETE', `/services/${name}`);
}
