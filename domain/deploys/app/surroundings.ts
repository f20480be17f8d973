import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import type { Monorepo } from '../../catalog/find-monorepo.ts';
import { type Manifest, readManifest } from '../../catalog/read-manifest.ts';
import { detectPackageManager, type PackageManager } from '../container-file/detect-package-manager.ts';
import { type InstallCommands, installCommands } from '../container-file/install-commands.ts';
import type { AppDescription } from './app-description.ts';
import { installHooks } from './install-hooks.ts';
import { nativePackages } from './native-packages.ts';
import { fitsEngines, type NodeImage, nodeImage } from './node-version.ts';
import { readWorkspace, type Workspace } from './workspace.ts';

export interface Surroundings {
  readonly workspace: Workspace | null;
  /** Where the lockfile and the settings of the package manager are. */
  readonly lockSource: AppSource;
  /** Manifests whose install scripts run. */
  readonly installed: readonly Manifest[];
  readonly manager: PackageManager;
  readonly commands: InstallCommands;
  readonly node: NodeImage;
}

export interface SurroundingFacts {
  readonly source: AppSource;
  readonly manifest: Manifest;
  readonly monorepo: Monorepo | null;
  readonly declared: { readonly nodeVersion?: string | null; readonly packageManager?: string | null };
}

/** What decides what is installed: the app's own folder, or the monorepo around it. */
export function surroundings(
  { source, manifest, monorepo, declared }: SurroundingFacts,
  warnings: string[],
): Surroundings {
  const lockSource = monorepo?.source ?? source;
  const root = monorepo === null ? manifest : readManifest(lockSource.texts[MANIFEST] ?? null, warnings);
  const workspace = monorepo === null ? null : readWorkspace(monorepo, installHooks([root]).needsSource.value);
  const manager = detectPackageManager(root, lockSource, warnings, declared.packageManager);
  const own = nodeImage(manifest, source, declared.nodeVersion);
  const node = workspace !== null && !own.isNamed ? nodeImage(root, lockSource) : own;
  if (node.warning !== null) warnings.push(node.warning);
  const needed = workspace === null ? [] : [manifest, ...workspace.needs.map((member) => member.manifest)];
  const installed = [root, ...needed];
  const ignoresEngines = !fitsEngines(node, installed);
  const commands = installCommands(
    manager,
    { manifest: root, source: lockSource, workspace, ignoresEngines },
    warnings,
  );
  return { workspace, lockSource, installed, manager, commands, node };
}

type PartOfPackages = Pick<AppDescription, 'workspace' | 'nativePackages' | 'registryVariables' | 'hasIgnoreFile'>;

/** What an app with packages takes from its surroundings. */
export function partOfPackages({ workspace, lockSource }: Surroundings, manifest: Manifest): PartOfPackages {
  return {
    workspace,
    nativePackages: nativePackages(lockSource, manifest),
    registryVariables: lockSource.registryVariables ?? [],
    hasIgnoreFile: lockSource.files.includes('.dockerignore'),
  };
}

/** A site that is served as it is stands alone, whatever is around it. */
export function withoutPackages({ files }: AppSource): PartOfPackages {
  return {
    workspace: null,
    nativePackages: [],
    registryVariables: [],
    hasIgnoreFile: files.includes('.dockerignore'),
  };
}
