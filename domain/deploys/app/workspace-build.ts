import type { AppSource } from '../../catalog/app-source.ts';
import { MANIFEST } from '../../catalog/app-source.ts';
import { type Manifest, readManifest } from '../../catalog/read-manifest.ts';
import type { InstallCommands } from '../container-file/install-commands.ts';
import type { Choice } from './app-description.ts';
import type { Workspace } from './workspace.ts';

export interface WorkspaceBuildFacts {
  readonly workspace: Workspace | null;
  /** Of the monorepo. */
  readonly lockSource: AppSource;
  readonly commands: InstallCommands;
  /** `platform.io/build-command` */
  readonly declared: string | null;
  /** The build of the app alone. */
  readonly own: Choice<string> | null;
}

/**
 * The build of an app in a monorepo: by turbo where the monorepo has it, since its settings tell what comes first; else the
 * `build` scripts of the packages that the app needs, in their order, and then its own. What is declared runs alone.
 */
export function workspaceBuild(facts: WorkspaceBuildFacts): Choice<string> | null {
  const { workspace, commands, declared, own } = facts;
  if (workspace === null || declared !== null) return own;
  const { app, needs } = workspace;
  const built = needs.filter(({ manifest }) => hasBuild(manifest));
  if (built.length === 0) return own;
  const { packageName } = app.manifest;
  if (own?.value === commands.run('build') && packageName !== null && hasTurbo(facts)) {
    // In a folder below, turbo does not take every monorepo for one: where its workspaces begin with `./`, for example.
    const value = `(cd /app && turbo run build --filter=${packageName})`;
    return { value, reason: `${own.reason}, and turbo builds what it needs first` };
  }
  const first = built.map(({ folder }) => `(cd /app/${folder} && ${commands.run('build')})`);
  const names = built.map(({ folder }) => folder).join(', ');
  return {
    value: [...first, ...(own === null ? [] : [own.value])].join(' && '),
    reason: own === null ? `the app needs ${names}` : `${own.reason}, and the app needs ${names}`,
  };
}

function hasBuild({ scripts }: Manifest): boolean {
  return (scripts.build ?? '').trim() !== '';
}

function hasTurbo({ lockSource }: WorkspaceBuildFacts): boolean {
  const { dependencies } = readManifest(lockSource.texts[MANIFEST] ?? null, []);
  return lockSource.files.includes('turbo.json') && dependencies.has('turbo');
}
