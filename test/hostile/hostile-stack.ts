import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Stack, startStack } from '../../infra/dev/stack.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { TEST_SETTINGS } from '../../infra/dev/test-stack.ts';
import { type GitHttpServer, startGitHttpServer } from '../adapters/git/git-http-server.ts';
import { useStack } from '../support/use-stack.ts';
import { signInMember } from './member.ts';

/** A stack of its own with secrets where a platform has them, and somebody of another org who attacks it. */
export interface HostileStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly dataDir: string;
  /** Label value of its containers and images. */
  readonly stackId: string;
  /** What must be found nowhere: names and values. Whoever makes another one adds it. */
  readonly secrets: Record<string, string>;
  /** Folder whose repositories the platform's git host serves. */
  readonly repositories: string;
  readonly gitHost: GitHttpServer;
  /** Folder with keys, as the operator's home. */
  readonly home: string;
  /** Access token of a member of the org `rival`. */
  readonly token: string;
}

export const ATTACKER_ORG = 'rival';
export const VICTIM_ORG = 'victim';

const planted = (kind: string): string => `canary${kind}${randomBytes(16).toString('hex')}`;

/** Starts it; what the environment of this process says of a stack is changed until it is disposed of. */
export async function startHostileStack(): Promise<HostileStack> {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-hostile-'));
  const [dataDir, repositories, home] = ['data', 'repositories', 'home'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const canaries = { home: planted('home'), environment: planted('environment'), git: planted('git') };
  const leaky = { leakyBuild: planted('build'), leakyConfig: planted('config') };
  await plantHome(home, canaries.home);
  await mkdir(repositories);
  // Whatever fails here, what runs is ended: an open server would keep the process of the test.
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(root, { recursive: true, force: true }));
  const gitHost = await startGitHttpServer(repositories, canaries.git);
  undo.defer(() => gitHost.close());
  const stack = await startStack({
    dataDir,
    ports: 'free',
    env: {
      ...process.env,
      HOME: home,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
      OPERATOR_NOTE: canaries.environment,
    },
    report: silentReporter,
    disposable: true,
    variables: {
      ...TEST_SETTINGS,
      GIT_URL: gitHost.url,
      GIT_TOKEN: canaries.git,
      // Every repository of the corpus is one of the tenants' own.
      GIT_OWNERS: `*=${new URL(gitHost.url).host}`,
      READINESS_TIMEOUT_SECONDS: '20',
      BUILD_CONCURRENCY: '4',
      LOG_LEVEL: 'debug',
    },
  });
  undo.defer(() => stack.stop());
  undo.defer(useStack(dataDir));
  const own: Record<string, string> = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
  const { STACK_ID: stackId = '', ...keys } = own;
  const token = await signInMember(stack, ATTACKER_ORG);
  const secrets = { ...canaries, ...leaky, ...keys };
  const running = undo.move();
  const dispose = () => running.disposeAsync();
  return { stack, dataDir, stackId, secrets, repositories, gitHost, home, token, [Symbol.asyncDispose]: dispose };
}

/** Files that programs look for below a home folder, each with the canary. */
async function plantHome(home: string, canary: string): Promise<void> {
  const auth = Buffer.from(`operator:${canary}`).toString('base64');
  const files: Readonly<Record<string, string>> = {
    '.ssh/id_ed25519': `-----BEGIN OPENSSH PRIVATE KEY-----\n${canary}\n-----END OPENSSH PRIVATE KEY-----\n`,
    '.netrc': `machine 127.0.0.1 login operator password ${canary}\n`,
    '.npmrc': `//registry.example.com/:_authToken=${canary}\n`,
    '.docker/config.json': JSON.stringify({ auths: { 'registry.example.com': { auth } } }),
    '.gitconfig': `[http]\n\textraHeader = "Authorization: ${canary}"\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(home, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o600 });
  }
}
