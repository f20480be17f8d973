import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { ErrorCode } from '../../domain/errors.ts';
import { type Build, connection, ended, logText, type TriggerReply } from '../e2e/harness.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { HostileArchive } from './archives.ts';
import type { HostileStack } from './hostile-stack.ts';
import { type HostileWorktree, treeWriter } from './repositories.ts';

/** A server that answers every request, as an image that builds in a moment. */
export const SERVER = `
import { createServer } from 'node:http';
createServer((request, response) => response.end('serves')).listen(4000);
process.on('SIGTERM', () => process.exit(0));
`;

export const DOCKERFILE = `FROM node:24-alpine
WORKDIR /app
COPY . .
USER 1001
EXPOSE 4000
ENV PORT=4000
CMD ["node", "server.mjs"]
`;

export type Files = Readonly<Record<string, string | null>>;

interface Reply<T> {
  readonly status: number;
  readonly data: T;
  readonly error: { readonly code: ErrorCode; readonly message: string } | undefined;
}

export interface Outcome {
  readonly build: Build;
  readonly log: string;
}

/** What the member of the other org does: everything by the API, with a token of theirs. */
export function createAttacker({ token, repositories, gitHost }: HostileStack) {
  /** All that the API said to them. */
  const heard: string[] = [];

  /** Repeated while a part of the loaded machine is late with its answer. */
  async function call<T>(method: string, path: string, body?: unknown): Promise<Reply<T>> {
    return await waitUntil(`an answer to ${method} ${path}`, async () => {
      const reply = await callOnce<T>(method, path, body);
      return reply.error?.code === 'UNAVAILABLE' ? null : reply;
    });
  }

  async function callOnce<T>(method: string, path: string, body?: unknown): Promise<Reply<T>> {
    const { api } = await connection();
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(api + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/gzip' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const text = await response.text();
    heard.push(text);
    const { data, error } = JSON.parse(text) as Omit<Reply<T>, 'status'>;
    return { status: response.status, data, error };
  }

  /** Registers a service under a new name. */
  async function newService(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const name = `h-${randomBytes(5).toString('hex')}`;
    const { status, error } = await call('POST', '/services', { name, ...fields });
    if (status !== 200 && status !== 201) throw new Error(`POST /services: ${error?.message}`);
    return name;
  }

  /** What the member is shown of the end of a build. */
  async function outcome(buildId: string): Promise<Outcome> {
    await ended(buildId);
    const { data: build } = await call<Build>('GET', `/builds/${buildId}`);
    const log = await logText(buildId);
    heard.push(log);
    return { build, log };
  }

  async function upload(service: string, archive: Buffer): Promise<string> {
    const { status, data, error } = await call<TriggerReply>('POST', `/builds/upload?service=${service}`, archive);
    if (status !== 202) throw new Error(`POST /builds/upload: ${error?.message}`);
    return data.buildId;
  }

  async function trigger(service: string): Promise<string> {
    const { status, data, error } = await call<TriggerReply>('POST', '/builds/trigger', { service });
    if (status !== 202) throw new Error(`POST /builds/trigger: ${error?.message}`);
    return data.buildId;
  }

  /** Serves a repository on the platform's git host. @returns its address */
  async function publish(make: (tree: HostileWorktree) => Promise<void>): Promise<string> {
    const folder = randomBytes(6).toString('hex');
    const path = join(repositories, folder);
    await mkdir(path);
    await makeRepository(path, make);
    return `${gitHost.url}/${folder}/.git`;
  }

  return { heard, call, newService, outcome, upload, trigger, publish };
}

export type Attacker = ReturnType<typeof createAttacker>;

async function makeRepository(path: string, make: (tree: HostileWorktree) => Promise<void>): Promise<void> {
  const git = createGit(path);
  const writer = treeWriter(path);
  let published = false;
  const publish = async (tree: string): Promise<void> => {
    const commit = await git(['commit-tree', tree, '-m', 'hostile']);
    await git(['update-ref', 'refs/heads/main', commit]);
    published = true;
  };
  await git(['init', '-q', '-b', 'main']);
  await writer.write('server.mjs', SERVER);
  await writer.write('Dockerfile', DOCKERFILE);
  // A link takes the place of the file.
  const link = async (name: string, target: string): Promise<void> => {
    await rm(join(path, name), { force: true });
    await writer.link(name, target);
  };
  await make({ path, git, publish, write: writer.write, link });
  if (published) return;
  await git(['add', '-A']);
  await git(['commit', '-q', '-m', 'hostile']);
}

function createGit(path: string): HostileWorktree['git'] {
  const who = { NAME: 't', EMAIL: 't@example.org' };
  const people = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(who).map(([field, value]) => [`GIT_${role}_${field}`, value]),
  );
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', ...Object.fromEntries(people) };
  return (args, input) =>
    new Promise((resolve, reject) => {
      const child = execFile('git', ['-C', path, ...args], { env }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim());
        else reject(new Error(`git ${args.join(' ')}: ${stderr}`));
      });
      // Those that read nothing may have ended by now.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input ?? '');
    });
}

/** A gzip tar of the small app with other files over its own. */
export async function archiveOf(files: Files = {}, entries: HostileArchive['entries'] = []): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries({ 'server.mjs': SERVER, Dockerfile: DOCKERFILE, ...files })) {
    if (text !== null) tar.entry({ name }, text);
  }
  for (const { content, ...header } of entries) {
    if (content === undefined) tar.entry(header);
    else tar.entry(header, content);
  }
  tar.finalize();
  return gzipSync(await buffer(tar));
}
