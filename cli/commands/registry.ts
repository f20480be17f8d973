import { pathOf } from '../api-client.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { connectToRegistry } from '../registry-api.ts';
import { changelogReply, namespaceReply, packageReply, pluginReply, type RouteReply } from '../registry-replies.ts';
import { printFields } from '../terminal/fields.ts';
import { printable } from '../terminal/style.ts';
import type { Cell } from '../terminal/table.ts';
import { formatAge, formatMoment } from '../terminal/times.ts';
import { findRegistration } from './registered-service.ts';

interface ListOptions {
  readonly limit: number;
}

/** `fairlead registry services`. */
export async function listRegistered(context: CliContext, { limit }: ListOptions): Promise<number> {
  const { output, now } = context;
  const page = await readPages(connectToRegistry(context), pluginReply, { path: pathOf('api', 'plugins'), limit });
  output.document(page);
  if (output.quiet) for (const { service } of page.items) output.print(service);
  else if (page.items.length === 0) output.print('No service is registered. A deploy registers its service.');
  else {
    output.table(
      [
        { title: 'SERVICE' },
        { title: 'ORG' },
        { title: 'ENVIRONMENTS', shrinks: true },
        { title: 'CHANGELOG' },
        { title: 'CHANGED' },
      ],
      page.items.map(({ service, org, environments, hasChangelog, updatedAt }) => [
        { text: service, tone: 'bold' },
        { text: org },
        { text: environments.join(', ') },
        { text: hasChangelog ? 'yes' : 'no' },
        { text: formatAge(updatedAt, now()), tone: 'dim' },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead registry namespaces`. */
export async function listNamespaces(context: CliContext, { limit }: ListOptions): Promise<number> {
  const { output, now } = context;
  const page = await readPages(connectToRegistry(context), namespaceReply, { path: pathOf('v1', 'namespaces'), limit });
  output.document(page);
  if (output.quiet) for (const { namespace } of page.items) output.print(namespace);
  else if (page.items.length === 0) output.print('There is no namespace. The first deploy of a service makes it.');
  else {
    output.table(
      [{ title: 'NAMESPACE' }, { title: 'SERVICE' }, { title: 'ENVIRONMENT' }, { title: 'ORG' }, { title: 'SINCE' }],
      page.items.map(({ namespace, service, environment, org, since }) => [
        { text: namespace, tone: 'bold' },
        { text: service },
        { text: environment },
        { text: org },
        { text: formatAge(since, now()), tone: 'dim' },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead registry routes [service]`: as the gateway knows them. */
export async function listRoutes(context: CliContext, given: string | undefined): Promise<number> {
  const { output, environment } = context;
  const { service, registration } = await findRegistration(context, given);
  output.document({ service, environment, ...registration });
  const { routes, url } = registration;
  if (output.quiet) for (const { path } of routes) output.print(printable(path));
  else if (routes.length === 0) output.print(`${service} at ${printable(url)} declares no routes in spec.routes.`);
  else output.table(ROUTE_COLUMNS, routes.map(routeRow));
  return exitCode('ok');
}

const ROUTE_COLUMNS = [
  { title: 'METHODS' },
  { title: 'PATH', shrinks: true },
  { title: 'AUTH' },
  { title: 'GAS' },
  { title: 'PAYS' },
];

function routeRow({ methods, path, auth, gas, charge }: RouteReply): readonly Cell[] {
  return [
    { text: methods.length === 0 ? 'all' : methods.join(' ') },
    { text: path, tone: 'bold' },
    { text: auth ?? '' },
    { text: gas === 0 ? 'free' : String(gas) },
    // A route that declares nobody is not one that its service pays for.
    charge == null ? { text: 'undeclared', tone: 'dim' } : { text: charge },
  ];
}

/** `fairlead registry changelog [service]`. */
export async function showChangelog(context: CliContext, given: string | undefined): Promise<number> {
  const { output } = context;
  const service = await serviceName(context, given);
  const path = pathOf('api', 'plugins', service, 'changelog');
  const changelog = await connectToRegistry(context).call(changelogReply, { method: 'GET', path });
  output.document(changelog);
  const { notes, version, commit, deployedAt, walkthroughUrl } = changelog;
  if (!output.quiet) {
    printFields(output, [
      ['Service', output.paint('bold', changelog.service)],
      ['Version', version ?? 'none'],
      ['Commit', commit ?? 'none'],
      ['Deployed', formatMoment(deployedAt)],
      ['Walkthrough', walkthroughUrl ?? 'none'],
    ]);
    output.print('');
  }
  printLines(output, notes);
  return exitCode('ok');
}

/** `fairlead registry packages [package[@version]]`. */
export async function showPackages(
  context: CliContext,
  given: string | undefined,
  { limit }: ListOptions,
): Promise<number> {
  const { output } = context;
  const registry = connectToRegistry(context);
  const path = pathOf('v1', 'package-changelogs');
  // The first character may be the @ of a scope.
  if (given !== undefined && given.lastIndexOf('@') > 0) {
    const changelog = await registry.call(packageReply, {
      method: 'GET',
      path: pathOf('v1', 'package-changelogs', given),
    });
    output.document(changelog);
    printLines(output, changelog.notes);
    return exitCode('ok');
  }
  const page = await readPages(registry, packageReply, { path, query: { package: given }, limit });
  output.document(page);
  if (output.quiet) for (const { package: name, version } of page.items) output.print(`${name}@${version}`);
  else if (page.items.length === 0) output.print('No changelog of a package is published.');
  else {
    output.table(
      [{ title: 'PACKAGE' }, { title: 'VERSION' }, { title: 'PUBLISHED' }, { title: 'NOTES', shrinks: true }],
      page.items.map(({ package: name, version, publishedAt, notes }) => [
        { text: name, tone: 'bold' },
        { text: version },
        { text: formatMoment(publishedAt), tone: 'dim' },
        { text: notes.split('\n', 1)[0] ?? '' },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** Line by line: what a terminal would obey is taken out of each. */
function printLines(output: CliContext['output'], text: string): void {
  for (const line of text.trimEnd().split('\n')) output.print(printable(line));
}
