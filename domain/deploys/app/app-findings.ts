import type { AppDescription, Choice } from './app-description.ts';
import type { Workspace } from './workspace.ts';

/** One thing that was found, why, and what changes it. */
export interface Finding {
  /** Stable, for programs. */
  readonly key: string;
  readonly title: string;
  readonly value: string;
  readonly reason: string;
  /** Where the author sets it. */
  readonly setBy: string;
}

/** What was found of an app, in the order in which it matters to its author. */
export function appFindings(app: AppDescription): readonly Finding[] {
  const { site, start } = app;
  const usesNode = app.install !== null;
  return [
    row('framework', 'Framework', 'platform.io/framework', {
      value: [app.framework ?? 'none of the known ones', app.frameworkVersion]
        .filter((part) => part !== null)
        .join(' '),
      reason: app.frameworkReason,
    }),
    ...(usesNode
      ? [
          row('node', 'Node.js', 'platform.io/node-version, engines.node in package.json', app.nodeImage),
          row('packageManager', 'Package manager', 'platform.io/package-manager, the lockfile', {
            value: [app.manager.name, app.manager.version].filter((part) => part !== null).join(' '),
            reason: app.manager.lockfile === null ? 'there is no lockfile' : `there is ${app.manager.lockfile}`,
          }),
        ]
      : []),
    ...(app.workspace === null
      ? []
      : [
          row('monorepo', 'Monorepo', 'workspaces in its package.json, pnpm-workspace.yaml', {
            value: app.workspace.app.folder,
            reason: needsOf(app.workspace),
          }),
        ]),
    ...(app.registryVariables.length === 0
      ? []
      : [
          row('registryVariables', 'Registry variables', 'platform.io/env-vars', {
            value: app.registryVariables.join(', '),
            reason: 'the settings of the package manager name them',
          }),
        ]),
    ...optional('install', 'Install', 'platform.io/install-command', app.install),
    ...optional('build', 'Build', 'platform.io/build-command', app.build),
    ...optional(
      'start',
      'Start',
      'platform.io/start-command',
      start === null ? null : { ...start, value: shown(start) },
    ),
    ...(site === null
      ? []
      : [
          row('output', 'Site', 'platform.io/output-folder', { ...site.folders, value: site.folders.value[0] ?? '.' }),
          row('missingPaths', 'Missing paths', 'platform.io/start-command', {
            ...site.singlePage,
            value: site.singlePage.value ? 'index.html' : '404',
          }),
        ]),
    ...(usesNode && start !== null
      ? [
          row('development', 'devDependencies', 'dependencies in package.json', {
            ...app.keepsDevelopment,
            value: app.keepsDevelopment.value ? 'kept' : 'pruned',
          }),
        ]
      : []),
    row('port', 'Port', 'platform.io/port', { ...app.port, value: String(app.port.value) }),
    row('runsOn', 'Base image', 'platform.io/dockerfile', {
      value: app.runsOn,
      reason: start === null ? 'a web server serves the site' : 'the image of its Node.js',
    }),
  ];
}

function needsOf({ needs }: Workspace): string {
  if (needs.length === 0) return 'it is a package of one, and needs no other package of it';
  return `it is a package of one, and needs ${needs.map(({ folder }) => folder).join(', ')}`;
}

function row(key: string, title: string, setBy: string, { value, reason }: Choice<string>): Finding {
  return { key, title, value, reason, setBy };
}

function optional(key: string, title: string, setBy: string, choice: Choice<string> | null): readonly Finding[] {
  return choice === null ? [] : [row(key, title, setBy, choice)];
}

/** A command that a shell runs is shown as its line. */
function shown({ value }: Choice<readonly string[]>): string {
  const [program, flag, line] = value;
  if (program === '/bin/sh' && flag === '-c' && line !== undefined) return line.replace(/\bexec /g, '');
  return program === '/bin/sh' ? 'next start' : value.join(' ');
}
