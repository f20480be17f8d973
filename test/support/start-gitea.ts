import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, copyFile, cp, link, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GITEA_STATIC } from '../../infra/dev/tools/gitea.ts';
import { freePort } from './free-port.ts';
import { toolPath } from './tool-path.ts';
import { waitUntil } from './wait-until.ts';

export interface GiteaUser {
  readonly name: string;
  /** With every scope. */
  readonly token: string;
}

/** A git host of its own on the loopback, in a folder of its own, run by nobody. */
export interface TestGitea {
  /** Without a trailing slash. */
  readonly url: string;
  /** Administers all of it. */
  readonly admin: GiteaUser;
  /** Any route of its API; the body of the answer. @throws Error with the answer unless it is 2xx */
  call(method: string, path: string, body?: object, token?: string): Promise<unknown>;
  createUser(name: string): Promise<GiteaUser>;
  /** With one commit on `main`. @returns its commit and the address to clone it from */
  createRepository(
    owner: GiteaUser,
    name: string,
    options?: { readonly org?: string; readonly isPublic?: boolean },
  ): Promise<{ url: string; path: string; commit: string }>;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Why there is none here; false where there is one. Tests of it are skipped then, see `infra/dev/allowed-skips.ts`. */
export async function giteaMissing(): Promise<string | false> {
  return await toolPath('gitea').then(
    () => false,
    () => 'Gitea can neither be downloaded nor built here',
  );
}

/** It refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const AS: Partial<typeof NOBODY> = process.getuid?.() === 0 ? NOBODY : {};
const PASSWORD = randomBytes(12).toString('hex');

/** @param at an address of the loopback where nobody listens; a free port by default */
export async function startGitea(at?: string): Promise<TestGitea> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-gitea-'));
  const port = at === undefined ? await freePort() : Number(new URL(at).port);
  const url = `http://127.0.0.1:${port}`;
  const program = await placeProgram(folder);
  await writeFile(join(folder, 'app.ini'), settings(folder, port));
  // Not what is a link into the cache.
  for (const path of [folder, join(folder, 'app.ini')]) await giveAway(path);
  const env = { PATH: process.env.PATH, HOME: folder, USER: 'git', GITEA_WORK_DIR: folder };
  const options = ['--config', join(folder, 'app.ini')];
  const command = async (...args: readonly string[]): Promise<string> => {
    const child = spawn(program, [...args, ...options], { ...AS, env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`gitea ${args.join(' ')}: ${output}`);
    return output.trim();
  };

  let running: ChildProcess | null = null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const child = running;
    running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  const start = async (): Promise<void> => {
    const child = spawn(program, ['web', ...options], { ...AS, env, cwd: folder, stdio: 'ignore' });
    running = child;
    await waitUntil('Gitea serves', async () => {
      if (child.exitCode !== null) throw new Error(`Gitea ended with ${child.exitCode}`);
      return (await fetch(`${url}/api/healthz`).catch(() => null))?.ok === true;
    });
  };
  const call = async (method: string, path: string, body?: object, token?: string): Promise<unknown> => {
    const authorization = token === undefined ? {} : { authorization: `token ${token}` };
    return await send(`${url}/api/v1${path}`, method, body, authorization);
  };
  const tokenOf = async (name: string): Promise<string> => {
    const authorization = `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;
    const body = { name: randomBytes(4).toString('hex'), scopes: ['all'] };
    const made = (await send(`${url}/api/v1/users/${name}/tokens`, 'POST', body, { authorization })) as {
      sha1: string;
    };
    return made.sha1;
  };

  await command('migrate');
  const adminName = 'keeper';
  const account = ['--username', adminName, '--password', PASSWORD, '--email', `${adminName}@git.example`];
  await command('admin', 'user', 'create', '--admin', '--must-change-password=false', ...account);
  await start();
  const admin: GiteaUser = { name: adminName, token: await tokenOf(adminName) };
  return {
    url,
    admin,
    call: (method, path, body, token = admin.token) => call(method, path, body, token),
    async createUser(name) {
      const email = `${name}@git.example`;
      const user = { username: name, email, password: PASSWORD, must_change_password: false };
      await call('POST', '/admin/users', user, admin.token);
      return { name, token: await tokenOf(name) };
    },
    async createRepository(owner, name, { org, isPublic = false } = {}) {
      const made = org === undefined ? '/user/repos' : `/orgs/${org}/repos`;
      await call('POST', made, { name, auto_init: true, default_branch: 'main', private: !isPublic }, owner.token);
      const path = `${org ?? owner.name}/${name}`;
      const branch = (await call('GET', `/repos/${path}/branches/main`, undefined, owner.token)) as {
        readonly commit: { readonly id: string };
      };
      return { url: `${url}/${path}.git`, path, commit: branch.commit.id };
    },
    kill: () => end('SIGKILL'),
    restart: start,
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function giveAway(path: string): Promise<void> {
  if (AS.uid !== undefined && AS.gid !== undefined) await chown(path, AS.uid, AS.gid);
}

/** The cache may lie where nobody else may look. */
async function placeProgram(folder: string): Promise<string> {
  const from = await toolPath('gitea');
  const program = join(folder, 'gitea');
  await link(from, program).catch(() => copyFile(from, program));
  const parts = join(dirname(from), GITEA_STATIC);
  if (existsSync(parts)) await cp(parts, join(folder, GITEA_STATIC), { recursive: true });
  await chmod(folder, 0o755);
  return program;
}

async function send(address: string, method: string, body: object | undefined, headers: Record<string, string>) {
  const response = await fetch(address, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${address} answered ${response.status}: ${text}`);
  return text === '' ? null : (JSON.parse(text) as unknown);
}

function settings(folder: string, port: number): string {
  const parts = join(folder, GITEA_STATIC);
  return `
RUN_MODE = prod
WORK_PATH = ${folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
DOMAIN = 127.0.0.1
ROOT_URL = http://127.0.0.1:${port}/
DISABLE_SSH = true
OFFLINE_MODE = true
APP_DATA_PATH = ${join(folder, 'data')}
${existsSync(parts) ? `STATIC_ROOT_PATH = ${parts}` : ''}
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
[repository]
ROOT = ${join(folder, 'repositories')}
[security]
INSTALL_LOCK = true
SECRET_KEY = ${randomBytes(24).toString('hex')}
INTERNAL_TOKEN = ${randomBytes(24).toString('hex')}
PASSWORD_HASH_ALGO = pbkdf2_v1
[service]
DISABLE_REGISTRATION = true
[webhook]
ALLOWED_HOST_LIST = loopback
DELIVER_TIMEOUT = 10
[log]
MODE = console
LEVEL = Error
[indexer]
ISSUE_INDEXER_TYPE = db
[session]
PROVIDER = memory
[actions]
ENABLED = false
[packages]
ENABLED = false
[cron]
ENABLED = false
`;
}
