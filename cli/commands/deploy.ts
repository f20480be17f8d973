import { readFileSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { MANIFEST, readAppSource } from '../../domain/catalog/app-source.ts';
import { pathOf } from '../api-client.ts';
import { usageFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { type FollowOptions, followStarted } from '../follow-command.ts';
import { interruptible } from '../interrupt.ts';
import { formatBytes, listFolder, packFolder } from '../pack-folder.ts';
import { printPlan } from '../plan-output.ts';
import { checkName, nameFromFolder, nameFromGitUrl, readLocalRepository, readSource } from '../project.ts';
import { planReply, serviceReply, type TriggerReply, triggerReply } from '../replies.ts';
import { readSecrets } from '../secret-input.ts';
import { createLiveRegion } from '../terminal/live-region.ts';

export interface DeployOptions extends FollowOptions {
  readonly name?: string;
  readonly branch?: string;
  readonly commit?: string;
  readonly appPath?: string;
  readonly port?: number;
  readonly set: readonly string[];
  readonly secret: readonly string[];
  readonly git?: boolean;
  readonly plan?: boolean;
}

/** What is deployed: a repository that the builder clones, or a folder that is uploaded. */
interface Target {
  readonly name: string;
  /** Fields of the service record. */
  readonly service: Readonly<Record<string, unknown>>;
  readonly upload: string | null;
  readonly branch: string | undefined;
  readonly commit: string | undefined;
}

/** `fairlead deploy [source]`: registers the service, starts a build and follows it. */
export async function deploy(context: CliContext, given: string, options: DeployOptions): Promise<number> {
  const target = await readTarget(context, given, options);
  if (options.plan === true) return showPlan(context, given, target, options);
  const config = parseAssignments(options.set);
  const secrets = await readSecrets(options.secret, context.terminal);
  await context.api.call(serviceReply, {
    method: 'POST',
    path: pathOf('services'),
    body: {
      name: target.name,
      ...target.service,
      ...(options.set.length === 0 ? {} : { config }),
      ...(options.secret.length === 0 ? {} : { secrets }),
    },
  });
  const started =
    target.upload === null ? await trigger(context, target) : await upload(context, target.name, target.upload);
  return followStarted(context, started, options);
}

async function readTarget(context: CliContext, given: string, options: DeployOptions): Promise<Target> {
  const source = readSource(given, context.cwd);
  const commit = options.commit?.toLowerCase();
  const extra = { ...(options.port === undefined ? {} : { port: options.port }) };
  const appPath = options.appPath === undefined ? {} : { appPath: options.appPath };
  if (source.kind === 'git') {
    const name = options.name === undefined ? nameFromGitUrl(source.url) : checkName(options.name);
    const service = { gitUrl: source.url, ...appPath, ...extra };
    return { name, service, upload: null, branch: options.branch, commit };
  }
  refuseFairleadItself(context, source.folder, options);
  const name = await nameFromFolder(join(source.folder, options.appPath ?? ''), options.name);
  if (options.git !== true) {
    if (options.branch !== undefined || options.commit !== undefined) {
      throw usageFailure('--branch and --commit need a git source.', 'Add --git to deploy the folder as a repository.');
    }
    return { name, service: { ...appPath, ...extra }, upload: source.folder, branch: undefined, commit: undefined };
  }
  const repository = await readLocalRepository(source.folder);
  if (repository.uncommitted > 0) {
    const changes =
      repository.uncommitted === 1 ? '1 uncommitted change is' : `${repository.uncommitted} uncommitted changes are`;
    context.output.note(`${changes} not part of this deploy.`);
  }
  const inside = [repository.appPath, options.appPath].filter((part) => part != null).join('/');
  const chosen = commit ?? (options.branch === undefined ? repository.commit : undefined);
  return {
    name,
    service: { gitUrl: repository.url, ...(inside === '' ? {} : { appPath: inside }), ...extra },
    upload: null,
    branch: options.branch ?? repository.branch ?? undefined,
    commit: chosen,
  };
}

/** In its own checkout, `fairlead deploy` without a folder would deploy Fairlead. @throws CliFailure with exit `usage` */
function refuseFairleadItself({ checkout }: CliContext, folder: string, { appPath }: DeployOptions): void {
  if (folder !== checkout || appPath !== undefined) return;
  throw usageFailure(`${folder} is Fairlead itself.`, 'Name the folder of your service: `fairlead deploy <folder>`');
}

const NOTHING_STARTED = { message: 'The upload was interrupted.', remedy: 'No build was started.' };

function trigger(context: CliContext, target: Target): Promise<TriggerReply> {
  return context.api.call(triggerReply, {
    method: 'POST',
    path: pathOf('builds', 'trigger'),
    body: {
      service: target.name,
      environment: context.environment,
      ...(target.branch === undefined ? {} : { branch: target.branch }),
      ...(target.commit === undefined ? {} : { commit: target.commit }),
    },
  });
}

async function upload(context: CliContext, service: string, folder: string): Promise<TriggerReply> {
  const { output, environment } = context;
  const entries = await listFolder(folder, (line) => output.note(line));
  const region = output.interactive ? createLiveRegion(output) : null;
  const what = `${entries.length} ${entries.length === 1 ? 'file' : 'files'}`;
  let sent = 0;
  let drawnAt = 0;
  const stream = packFolder(folder, entries, (bytes) => {
    sent = bytes;
    if (region === null || Date.now() - drawnAt < 100) return;
    drawnAt = Date.now();
    region.draw([output.paint('dim', `Uploading ${what}, ${formatBytes(bytes)}`)]);
  });
  let broken: Error | null = null;
  stream.once('error', (error) => {
    broken = error;
  });
  try {
    const started = await interruptible(NOTHING_STARTED, (signal) =>
      context.api.call(triggerReply, {
        method: 'POST',
        path: pathOf('builds', 'upload'),
        query: { service, environment },
        content: { type: 'application/gzip', stream: Readable.toWeb(stream) },
        signal,
      }),
    );
    region?.close();
    output.note(`Uploaded ${what}, ${formatBytes(sent)}`);
    return started;
  } catch (error) {
    // When packing failed, that is the reason, and the broken connection only its consequence.
    throw broken ?? error;
  } finally {
    region?.close();
    stream.destroy();
  }
}

async function showPlan(context: CliContext, given: string, target: Target, options: DeployOptions): Promise<number> {
  const source = readSource(given, context.cwd);
  const files = source.kind === 'folder' ? await planFiles(source.folder, options.appPath ?? '') : {};
  const plan = await context.api.call(planReply, {
    method: 'POST',
    path: pathOf('builds', 'plan'),
    body: { environment: context.environment, service: target.name, ...files },
  });
  context.output.document(plan);
  printPlan(context.output, target.name, context.environment, plan);
  return exitCode('ok');
}

/** What the planner needs of a folder: its catalog, and what a build would read of the app, of what a deploy uploads. */
async function planFiles(folder: string, appPath: string): Promise<Record<string, unknown>> {
  const top = relative(folder, resolve(folder, appPath)).split(sep).join('/');
  const entries = await listFolder(folder);
  const paths = new Set(entries.flatMap(({ path }) => pathBelow(top, path)));
  const uploaded = new Map(entries.map((entry) => [entry.path, entry]));
  const read = (path: string): string | null => {
    const entry = uploaded.get(posix.join(top, path));
    // A link may lead to a file that stays here, such as `.env`.
    const target = entry?.kind === 'link' ? uploaded.get(posix.join(posix.dirname(entry.path), entry.target)) : entry;
    return target?.kind === 'file' ? readFileSync(join(folder, target.path), 'utf8') : null;
  };
  const { files, texts } = await readAppSource({
    readText: async (path, limitBytes) => {
      const text = read(path);
      return text === null || Buffer.byteLength(text) > limitBytes ? null : text;
    },
    list: async (path) => [...new Set([...paths].flatMap((each) => pathBelow(path, each)).map(firstName))],
  });
  const { [MANIFEST]: manifest, ...others } = texts;
  const catalog = read('catalog-info.yaml');
  return {
    ...(catalog === null ? {} : { catalog }),
    ...(manifest === undefined ? {} : { manifest }),
    files,
    texts: others,
  };
}

const firstName = (path: string): string => path.split('/', 1)[0] ?? '';

function pathBelow(top: string, path: string): string[] {
  if (top === '') return [path];
  return path.startsWith(`${top}/`) ? [path.slice(top.length + 1)] : [];
}

function parseAssignments(assignments: readonly string[]): Record<string, string> {
  const config: Record<string, string> = {};
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    // The text itself is not repeated: its value may be meant for nobody's eyes.
    if (at < 1) throw usageFailure('--set takes KEY=VALUE.', 'For a value that must stay secret use --secret KEY.');
    config[assignment.slice(0, at)] = assignment.slice(at + 1);
  }
  return config;
}
