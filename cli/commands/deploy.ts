import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathOf } from '../api-client.ts';
import { parseAssignments } from '../assignments.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { type FollowOptions, followStarted, type GrantWait, waitFields } from '../follow-command.ts';
import { interruptible } from '../interrupt.ts';
import { formatBytes, listFolder, packFolder } from '../pack-folder.ts';
import { planFiles, planRepository, type RecordedPaths } from '../plan-files.ts';
import { printPlan } from '../plan-output.ts';
import { checkName, nameFromFolder, nameFromGitUrl, readLocalRepository, readSource } from '../project.ts';
import { planReply, serviceReply, type TriggerReply, triggerReply } from '../replies.ts';
import { readSecrets } from '../secret-input.ts';
import { createLiveRegion } from '../terminal/live-region.ts';
import { printable } from '../terminal/style.ts';

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
  readonly skipConventionCheck?: string;
  readonly waitForGrants?: GrantWait;
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
  const config = parseAssignments(options.set, '--set');
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
  const asked: Asked = {
    ...(options.skipConventionCheck === undefined ? {} : { skipConventionCheck: options.skipConventionCheck }),
    ...waitFields(options.waitForGrants),
  };
  const started =
    target.upload === null
      ? await trigger(context, target, asked)
      : await upload(context, target.name, target.upload, asked);
  const code = await followStarted(context, started, options);
  if (code !== exitCode('ok')) noteKept(context, target.name, [...Object.keys(config), ...options.secret]);
  return code;
}

/** What was stored for a deploy that failed stays for the next one, and is said to. */
function noteKept({ output }: CliContext, service: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const kept = names.length === 1 ? `${names[0]} stays stored` : `${names.join(', ')} stay stored`;
  output.note(
    `${kept} for the next deploy. To remove: \`fairlead config unset ${names.join(' ')} --service ${service}\``,
  );
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

/** What is asked of a deploy besides its source: the reason to violate conventions, and how long it waits for grants. */
type Asked = Pick<DeployOptions, 'skipConventionCheck'> & ReturnType<typeof waitFields>;

function trigger(context: CliContext, target: Target, asked: Asked): Promise<TriggerReply> {
  return context.api.call(triggerReply, {
    method: 'POST',
    path: pathOf('builds', 'trigger'),
    body: {
      service: target.name,
      environment: context.environment,
      ...(target.branch === undefined ? {} : { branch: target.branch }),
      ...(target.commit === undefined ? {} : { commit: target.commit }),
      ...asked,
    },
  });
}

async function upload(context: CliContext, service: string, folder: string, asked: Asked): Promise<TriggerReply> {
  const { output, environment } = context;
  const entries = await listFolder(folder, (line) => output.note(line));
  const region = output.interactive ? createLiveRegion(output) : null;
  const what = `${entries.length} ${entries.length === 1 ? 'file' : 'files'}`;
  let sent = 0;
  let drawnAt = 0;
  const stream = packFolder(folder, entries, (bytes) => {
    sent = bytes;
    if (region === null || performance.now() - drawnAt < 100) return;
    drawnAt = performance.now();
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
        query: { service, environment, ...asked, waitForGrants: asked.waitForGrants && 'true' },
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
  const { api, environment, output } = context;
  const source = readSource(given, context.cwd);
  const { appPath, dockerfilePath } = await recorded(context, target.name);
  const record = { appPath: options.appPath ?? appPath, dockerfilePath };
  const files =
    source.kind === 'folder'
      ? await planFiles(source.folder, record)
      : await readRepository(context, source.url, target, record);
  const body = {
    environment,
    service: target.name,
    ...(options.appPath === undefined ? {} : { appPath: options.appPath }),
    ...files,
  };
  const plan = await api.call(planReply, { method: 'POST', path: pathOf('builds', 'plan'), body });
  output.document(plan);
  printPlan(output, target.name, environment, plan);
  return exitCode('ok');
}

/** What an earlier deploy or the console has said of the places in its source; nothing for a service that is not here yet. */
async function recorded({ api }: CliContext, service: string): Promise<RecordedPaths> {
  try {
    const { appPath = null, dockerfilePath = null } = await api.call(serviceReply, {
      method: 'GET',
      path: pathOf('services', service),
    });
    return { appPath, dockerfilePath };
  } catch (error) {
    if (error instanceof CliFailure && error.exit === 'notFound') return { appPath: null, dockerfilePath: null };
    throw error;
  }
}

/** Nothing of a repository that this machine cannot read, and a note of why. */
async function readRepository(
  { output }: CliContext,
  url: string,
  { branch, commit }: Target,
  record: RecordedPaths,
): Promise<Record<string, unknown>> {
  try {
    return await planRepository(url, commit ?? branch ?? 'HEAD', record);
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').at(-1) : null;
    if (text === null) throw error;
    output.note(`${url} cannot be read here, so the plan shows its steps alone: ${printable(text ?? '')}`);
    return {};
  }
}
