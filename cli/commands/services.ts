import { z } from 'zod';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { pathOf } from '../api-client.ts';
import { CliFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { checkName, nameFromFolder, nameFromGitUrl, readGitRemote, readSource } from '../project.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { buildReply, pageOf, releaseReply, type ServiceReply, serviceReply } from '../replies.ts';
import { readRuntime, runtimeText } from '../runtime-state.ts';
import { printFields } from '../terminal/fields.ts';
import { formatAge } from '../terminal/times.ts';
import { statusText, statusTone } from './builds.ts';

/** `fairlead link [source]`: registers a service with its repository and stops there. */
export async function link(
  context: CliContext,
  given: string,
  options: { name?: string; branch?: string; appPath?: string; port?: number },
): Promise<number> {
  const source = readSource(given, context.cwd);
  const gitUrl = source.kind === 'git' ? source.url : await readGitRemote(source.folder);
  const name =
    source.kind === 'folder'
      ? await nameFromFolder(source.folder, options.name)
      : options.name === undefined
        ? nameFromGitUrl(source.url)
        : checkName(options.name);
  const { branch, appPath, port } = options;
  const body = Object.fromEntries(
    Object.entries({ name, gitUrl: gitUrl ?? undefined, branch, appPath, port }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const service = await context.api.call(serviceReply, { method: 'POST', path: pathOf('services'), body });
  context.output.document(service);
  const from = service.gitUrl == null ? 'deployed by upload: it has no git remote' : `built from ${service.gitUrl}`;
  context.output.print(`Linked ${context.output.paint('bold', service.name)}, ${from}`);
  return exitCode('ok');
}

/** `fairlead services`: every service. */
export async function listServices(context: CliContext, options: { limit: number }): Promise<number> {
  const { output, now } = context;
  const page = await readPages(context.api, serviceReply, { path: pathOf('services'), limit: options.limit });
  output.document(page);
  if (output.quiet) for (const service of page.items) output.print(service.name);
  else if (page.items.length === 0) output.print('No services yet. Register one: fairlead deploy');
  else {
    output.table(
      [{ title: 'SERVICE' }, { title: 'ORG' }, { title: 'SOURCE', shrinks: true }, { title: 'CHANGED' }],
      page.items.map((service) => [
        { text: service.name, tone: 'bold' },
        { text: service.org ?? '' },
        { text: service.gitUrl ?? 'upload' },
        { text: formatAge(service.updatedAt, now()), tone: 'dim' },
      ]),
    );
  }
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

/** `fairlead services show <service>`: its record, secrets by name only, and how what runs of it is. */
export async function showService(context: CliContext, name: string): Promise<number> {
  const { output } = context;
  const service = await readService(context, name);
  const runtime = await readRuntime(context, name);
  output.document({ ...service, runtime });
  const secrets = Array.isArray(service.secrets) ? service.secrets : Object.keys(service.secrets ?? {});
  const rows: [string, string][] = [
    ['Service', `${service.name} (${service.id})`],
    ['Org', service.org ?? ''],
    ['Source', service.gitUrl ?? 'upload'],
    ['Branch', service.branch ?? 'default'],
    ['App path', service.appPath ?? '/'],
    ['Port', service.port == null ? 'as declared' : String(service.port)],
    ...Object.entries(service.config ?? {}).map(([key, value]): [string, string] => ['Config', `${key}=${value}`]),
    ...secrets.map((key): [string, string] => ['Secret', `${key}=********`]),
    ...runtime.map((one): [string, string] => [`In ${one.environment}`, runtimeText(one, context.now())]),
  ];
  printFields(output, rows);
  return exitCode('ok');
}

/** `workflow` of one that is still being removed. */
const deletedReply = z
  .looseObject({ workflow: z.string().nullish(), warnings: z.array(z.string()).nullish() })
  .nullish();

const OF_DATABASES =
  'Databases that it has are kept for DATABASE_GRACE_DAYS (7, unless the operator set another number): until then a service of that name in the same org gets them back with its next deploy, data and backups included. Then a final backup is taken, and they are dropped.';

/** `fairlead services delete <service>`: its workloads, routes, releases and record. */
export async function deleteService(context: CliContext, name: string, options: { yes?: boolean }): Promise<number> {
  await confirm(context, options, {
    text: `Deleting ${name} removes it from every environment permanently. ${OF_DATABASES}`,
    command: `services delete ${name}`,
  });
  const data = await context.api.call(deletedReply, { method: 'DELETE', path: pathOf('services', name) });
  context.output.document(data ?? { name, deleted: true });
  const { workflow, warnings } = data ?? {};
  for (const warning of warnings ?? []) context.output.note(warning);
  if (context.output.quiet) context.output.print(name);
  else if (workflow == null) context.output.print(`Deleted ${name}`);
  else {
    context.output.print(`${name} is being removed, and that goes on by itself.`);
    context.output.note(
      `It is gone once \`fairlead services show ${name}\` finds none. What it waits for: workflow ${workflow}`,
    );
  }
  return exitCode('ok');
}

/** `fairlead releases [service]`: what was live in the environment, newest first. */
export async function releases(
  context: CliContext,
  given: string | undefined,
  options: { limit: number },
): Promise<number> {
  const { output, environment, now } = context;
  const service = await serviceName(context, given);
  const page = await readPages(context.api, releaseReply, {
    path: pathOf('services', service, 'releases'),
    query: { environment },
    limit: options.limit,
  });
  output.document(page);
  if (output.quiet) for (const release of page.items) output.print(release.id);
  else if (page.items.length === 0) output.print(`${service} has no release in ${environment}.`);
  else {
    output.table(
      [
        { title: 'RELEASE' },
        { title: 'COMMIT' },
        { title: 'BUILD', shrinks: true },
        { title: 'ACTIVATED' },
        { title: '' },
      ],
      page.items.map((release) => [
        { text: release.id },
        { text: release.commitSha?.slice(0, 7) ?? '' },
        { text: release.buildId ?? '' },
        { text: formatAge(release.activatedAt, now()), tone: 'dim' },
        { text: release.active === true ? 'live' : '', tone: 'good' },
      ]),
    );
  }
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

/** `fairlead status [service]`: where it is live, and its last build in each environment. */
export async function status(context: CliContext, given: string | undefined): Promise<number> {
  const { output, now } = context;
  const name = await serviceName(context, given);
  const service = await readService(context, name);
  const { items } = await context.api.call(pageOf(buildReply), {
    method: 'GET',
    path: pathOf('builds'),
    query: { service: service.name, limit: 50 },
  });
  const lastBuilds = ENVIRONMENTS.flatMap((environment) => {
    const build = items.find((candidate) => candidate.environment === environment);
    return build === undefined ? [] : [build];
  });
  output.document({ service, lastBuilds });
  const environments = [
    ...new Set([...deployed(service).map((row) => row.environment), ...lastBuilds.map((row) => row.environment)]),
  ];
  if (environments.length === 0) output.print(`${service.name} was never deployed. Start: fairlead deploy`);
  const rows = environments.map((environment) => {
    const live = deployed(service).find((row) => row.environment === environment);
    const build = lastBuilds.find((row) => row.environment === environment);
    return [
      { text: environment ?? '', tone: 'bold' as const },
      { text: live?.url ?? 'not live' },
      { text: (live?.commitSha ?? live?.commit ?? '').slice(0, 7) },
      { text: live?.releaseId ?? '' },
      { text: formatAge(live?.activatedAt, now()), tone: 'dim' as const },
      build === undefined
        ? { text: '' }
        : { text: `${statusText(build)} ${formatAge(build.createdAt, now())}`, tone: statusTone(build) },
    ];
  });
  const titles = ['ENV', 'URL', 'COMMIT', 'RELEASE', 'LIVE FOR', 'LAST BUILD'];
  if (rows.length > 0)
    output.table(
      titles.map((title) => ({ title, shrinks: title === 'RELEASE' })),
      rows,
    );
  return exitCode('ok');
}

/** The address of a service in an environment. @throws CliFailure NOT_DEPLOYED with exit `notFound` */
export async function liveUrl(context: CliContext, name: string): Promise<string> {
  const service = await readService(context, name);
  const url = deployed(service).find((row) => row.environment === context.environment)?.url;
  if (typeof url === 'string') return url;
  throw new CliFailure('NOT_DEPLOYED', `${name} is not live in ${context.environment}.`, {
    exit: 'notFound',
    remedy: `See where it is live: \`fairlead status ${name}\``,
  });
}

function readService(context: CliContext, name: string): Promise<ServiceReply> {
  return context.api.call(serviceReply, { method: 'GET', path: pathOf('services', name) });
}

function deployed(service: ServiceReply): NonNullable<ServiceReply['environments']> {
  return service.environments ?? [];
}
