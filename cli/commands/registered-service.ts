import { type ApiClient, pathOf } from '../api-client.ts';
import { CliFailure } from '../cli-failure.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { connectToRegistry } from '../registry-api.ts';
import { bindingReply, type DeployReply, deployReply, entryReply, pluginReply } from '../registry-replies.ts';
import { printable } from '../terminal/style.ts';
import type { Cell } from '../terminal/table.ts';
import { formatAge } from '../terminal/times.ts';

interface ListOptions {
  readonly limit: number;
}

/** What is registered of a service in the environment. @throws CliFailure NOT_REGISTERED */
export async function findRegistration(context: CliContext, given: string | undefined) {
  const { environment } = context;
  const service = await serviceName(context, given);
  const registry = connectToRegistry(context);
  const entry = await registry.call(entryReply, {
    method: 'GET',
    path: pathOf('v1', 'services', await idOf(registry, service)),
  });
  const registration = entry.environments.find((one) => one.environment === environment)?.registration ?? null;
  if (registration !== null) return { service, registration };
  throw new CliFailure('NOT_REGISTERED', `${service} is not registered in ${environment}.`, {
    exit: 'notFound',
    remedy: `A deploy registers it: \`fairlead deploy --env ${environment}\``,
  });
}

/** `fairlead registry modules [service]`: of the release that serves. */
export async function listModules(context: CliContext, given: string | undefined): Promise<number> {
  const { output, environment } = context;
  const { service, registration } = await findRegistration(context, given);
  const { modules } = registration;
  output.document({ service, environment, modules });
  if (output.quiet) for (const { name } of modules) output.print(printable(name));
  else if (modules.length === 0) output.print(`${service} declares no modules in spec.modules.`);
  else {
    output.table(
      [{ title: 'MODULE' }, { title: 'TITLE', shrinks: true }],
      modules.map(({ name, title }) => [{ text: name, tone: 'bold' }, { text: title ?? '' }]),
    );
  }
  return exitCode('ok');
}

/** `fairlead registry bindings [service]`: the queues and schedules that call it. */
export async function listBindings(
  context: CliContext,
  given: string | undefined,
  { limit }: ListOptions,
): Promise<number> {
  const { output, environment } = context;
  const { registry, service, path } = await placeOf(context, given, 'bindings');
  const page = await readPages(registry, bindingReply, { path, limit });
  output.document(page);
  if (output.quiet) for (const { name } of page.items) output.print(printable(name));
  else if (page.items.length === 0) output.print(`Nothing is bound to ${service} in ${environment}.`);
  else {
    output.table(
      [{ title: 'KIND' }, { title: 'NAME' }, { title: 'PATH', shrinks: true }, { title: 'PORT' }, { title: 'CRON' }],
      page.items.map(({ kind, name, path: called, port, cron }) => [
        { text: kind },
        { text: name, tone: 'bold' },
        { text: called },
        { text: String(port) },
        { text: cron ?? '' },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead registry deploys [service]`: newest first, with what was installed. */
export async function listDeploys(
  context: CliContext,
  given: string | undefined,
  { limit }: ListOptions,
): Promise<number> {
  const { output, environment, now } = context;
  const { registry, service, path } = await placeOf(context, given, 'deploys');
  const page = await readPages(registry, deployReply, { path, limit });
  output.document(page);
  if (output.quiet) for (const { buildId } of page.items) output.print(buildId);
  else if (page.items.length === 0) output.print(`The registry has no deploy of ${service} to ${environment}.`);
  else {
    output.table(
      DEPLOY_COLUMNS,
      page.items.map((deploy) => deployRow(deploy, now())),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

const DEPLOY_COLUMNS = [
  { title: 'BUILD' },
  { title: 'COMMIT' },
  { title: 'RELEASE' },
  { title: 'TIER' },
  { title: 'SDK', shrinks: true },
  { title: 'BY', shrinks: true },
  { title: 'DEPLOYED' },
];

function deployRow({ buildId, at, manifest, snapshot }: DeployReply, now: Date): readonly Cell[] {
  const packages = Object.entries(manifest?.sdkVersions ?? {}).map(([name, version]) => `${name}@${version}`);
  return [
    { text: buildId, tone: 'bold' },
    { text: (snapshot?.commit ?? manifest?.commit ?? '').slice(0, 7) },
    { text: snapshot?.releaseId ?? '' },
    { text: snapshot?.podTier ?? '' },
    { text: packages.join(' ') },
    { text: manifest?.deployedBy ?? '' },
    { text: formatAge(at, now), tone: 'dim' },
  ];
}

/** A list of a service in the environment, by the id of the service. */
async function placeOf(context: CliContext, given: string | undefined, list: 'bindings' | 'deploys') {
  const service = await serviceName(context, given);
  const registry = connectToRegistry(context);
  const id = await idOf(registry, service);
  return { registry, service, path: pathOf('v1', 'services', id, 'environments', context.environment, list) };
}

async function idOf(registry: ApiClient, service: string): Promise<string> {
  const path = pathOf('api', 'plugins', service);
  return (await registry.call(pluginReply, { method: 'GET', path })).serviceId;
}
