import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Workspace } from '../app/workspace.ts';
import { COPY_BUN } from './copy-bun.ts';
import type { PackageManager } from './detect-package-manager.ts';
import { localPackages } from './local-packages.ts';
import { type ManagerCommands, managerCommands } from './manager-commands.ts';
import { withoutHooks } from './without-hooks.ts';

/** Files that decide what is installed; copied before the rest, so that an unchanged set is not installed again. */
const INSTALL_FILES = [
  ...['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', 'bunfig.toml'],
  'lerna.json',
];
const INSTALL_FOLDERS = ['.yarn', 'patches', 'prisma'];

export interface InstallCommands extends ManagerCommands {
  /** Instructions that make the package manager available, run as root in the build stage only. */
  readonly prepare: readonly string[];
  /** Variable by which the package manager is told where it keeps what it fetched. */
  readonly cacheVariable: string;
  readonly copy: readonly string[];
  /**
   * Manifests of the packages of the repository, by path: an install needs no more of them. They are copied at once from a
   * folder of their own, because an image has only so many layers.
   */
  readonly manifests: Readonly<Record<string, string>>;
}

/** What decides what is installed. */
export interface InstallFacts {
  /** Of the folder with the lockfile. */
  readonly manifest: Manifest;
  readonly source: AppSource;
  /** The app's place in it where it is a monorepo around the app; null where it is the app. */
  readonly workspace: Workspace | null;
  /** True where the app gets another Node.js than it asks for: packages that refuse it are installed all the same. */
  readonly ignoresEngines: boolean;
}

/** Where the manifests of the packages of the repository are in the build context, beside these packages. */
export const MANIFESTS = 'fairlead-manifests';

/** Commands of the package manager that the lockfile asks for. */
export function installCommands(
  manager: PackageManager,
  { manifest, source, workspace, ignoresEngines }: InstallFacts,
  warnings: string[],
): InstallCommands {
  const { files, texts } = source;
  const locks = manager.lockfile === null ? [] : [manager.lockfile];
  const present = [...INSTALL_FILES.filter((file) => files.includes(file)), ...locks];
  const others = new Set(workspace?.others.map(({ folder }) => `${folder}/${MANIFEST}`));
  const manifests = Object.fromEntries(
    Object.entries(texts)
      .filter(([path]) => path.endsWith(`/${MANIFEST}`) && !(leavesOutOthers(manager) && others.has(path)))
      .map(([path, text]) => [path, others.has(path) ? withoutHooks(text) : text]),
  );
  const used = workspace === null ? [] : [workspace.app, ...workspace.needs];
  const local = localPackages([{ folder: '', manifest }, ...used], source, warnings);
  return {
    prepare: [...(ignoresEngines && files.includes('.npmrc') ? [NO_STRICT_ENGINES] : []), ...prepare(manager)],
    cacheVariable: manager.berry ? 'YARN_GLOBAL_FOLDER' : CACHE_VARIABLES[manager.name],
    copy: [
      `COPY ${present.join(' ')} ./`,
      ...INSTALL_FOLDERS.filter((folder) => files.includes(folder)).map((folder) => `COPY ${folder} ./${folder}`),
      ...copyManifests(manifests),
      ...local.map((path) => `COPY ${JSON.stringify([path, `./${path}`])}`),
    ],
    manifests,
    ...managerCommands(manager, workspace, ignoresEngines),
  };
}

/** Those of packages that are left out of the build context too, without which a package manager refuses the lockfile. */
export function copyManifests(manifests: InstallCommands['manifests']): readonly string[] {
  return Object.keys(manifests).length > 0 ? [`COPY ${MANIFESTS} ./`] : [];
}

/** pnpm installs the packages that are there, and takes those of a lockfile that are not for nothing. */
export function leavesOutOthers({ name }: PackageManager): boolean {
  return name === 'pnpm';
}

const CACHE_VARIABLES: Readonly<Record<PackageManager['name'], string>> = {
  npm: 'npm_config_cache',
  yarn: 'YARN_CACHE_FOLDER',
  pnpm: 'npm_config_store_dir',
  bun: 'BUN_INSTALL_CACHE_DIR',
};

const YARN_SETTINGS = 'ENV YARN_NODE_LINKER=node-modules YARN_ENABLE_TELEMETRY=0 YARN_ENABLE_GLOBAL_CACHE=true';
/** The yarn that the settings name is not there. */
const IGNORE_YARN_PATH = 'ENV YARN_IGNORE_PATH=1';

function yarnInstall(version: string): string {
  return `npm install --global --force --no-audit --no-fund @yarnpkg/cli-dist@${version}`;
}

/** Some releases of yarn, such as 2.4.3 and 3.8.4, are not in the package registry. */
function sameMinor(version: string): string {
  return `~${version.split('.').slice(0, 2).join('.')}`;
}

/** Yarn 1 gives a package up after 30 s, which a slow registry takes for a large one, and then fetches all of it again. */
const YARN_1_SETTINGS = 'ENV YARN_NETWORK_TIMEOUT=300000';

/** The settings of npm and pnpm may make an error of what is a warning. */
const NO_STRICT_ENGINES = 'ENV npm_config_engine_strict=false';

/** A setting of pnpm that older ones do not know, and pass over. */
const ALL_SCRIPTS = 'ENV npm_config_dangerously_allow_all_builds=true';

function prepare({ name, version, berry, runsAllScripts }: PackageManager): string[] {
  const settings = name === 'yarn' ? [berry ? YARN_SETTINGS : YARN_1_SETTINGS] : [];
  if (version === null) return settings;
  if (name === 'bun') return [COPY_BUN];
  // Corepack would fetch it from yarn's own host.
  if (name === 'yarn') {
    return [...settings, IGNORE_YARN_PATH, `RUN ${yarnInstall(version)} || ${yarnInstall(sameMinor(version))}`];
  }
  return [
    // Corepack and its cache stay in the build stage; HOME is root's, which can write there.
    'ENV COREPACK_HOME=/opt/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0 CI=true',
    `RUN corepack enable && corepack prepare ${name}@${version} --activate`,
    ...(runsAllScripts ? [ALL_SCRIPTS] : []),
  ];
}
