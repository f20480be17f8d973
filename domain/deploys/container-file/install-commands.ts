import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Workspace } from '../app/workspace.ts';
import type { PackageManager } from './detect-package-manager.ts';
import { localDependencies } from './local-dependencies.ts';

/** Files that decide what is installed; copied before the rest, so that an unchanged set is not installed again. */
const INSTALL_FILES = [
  ...['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', 'bunfig.toml'],
  'lerna.json',
];
const INSTALL_FOLDERS = ['.yarn', 'patches', 'prisma'];

export interface InstallCommands {
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
  readonly installAll: string;
  readonly installProduction: string;
  /** Takes what only the build needs out of node_modules; null when the package manager cannot. */
  readonly prune: string | null;
  readonly run: (script: string) => string;
}

/** What decides what is installed. */
export interface InstallFacts {
  /** Of the folder with the lockfile. */
  readonly manifest: Manifest;
  readonly source: AppSource;
  /** The app's place in it where it is a monorepo around the app; null where it is the app. */
  readonly workspace: Workspace | null;
}

/** Where the manifests of the packages of the repository are in the build context, beside these packages. */
export const MANIFESTS = 'fairlead-manifests';

/** Commands of the package manager that the lockfile asks for. */
export function installCommands(
  manager: PackageManager,
  { manifest, source: { files, texts }, workspace }: InstallFacts,
  warnings: string[],
): InstallCommands {
  const locks = manager.lockfile === null ? [] : [manager.lockfile];
  const present = [...INSTALL_FILES.filter((file) => files.includes(file)), ...locks];
  const leftOut = new Set(
    leavesOutOthers(manager) ? workspace?.others.map(({ folder }) => `${folder}/${MANIFEST}`) : [],
  );
  const members = Object.entries(texts).filter(([path]) => path.endsWith(`/${MANIFEST}`) && !leftOut.has(path));
  const used = workspace === null ? [] : [workspace.app, ...workspace.needs];
  const local = [
    ...localDependencies(manifest, warnings),
    ...used.flatMap((member) => localDependencies(member.manifest, warnings, member.folder)),
  ].filter((path) => texts[`${path}/${MANIFEST}`] === undefined);
  return {
    prepare: prepare(manager),
    cacheVariable: manager.berry ? 'YARN_GLOBAL_FOLDER' : CACHE_VARIABLES[manager.name],
    copy: [
      `COPY ${present.join(' ')} ./`,
      ...INSTALL_FOLDERS.filter((folder) => files.includes(folder)).map((folder) => `COPY ${folder} ./${folder}`),
      ...(members.length > 0 ? [`COPY ${MANIFESTS} ./`] : []),
      ...[...new Set(local)].map((path) => `COPY ${JSON.stringify([path, `./${path}`])}`),
    ],
    manifests: Object.fromEntries(members),
    ...commandsOf(manager, workspace),
  };
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

/** Yarn 1 gives a package up after 30 s, which a slow registry takes for a large one, and then fetches all of it again. */
const YARN_1_SETTINGS = 'ENV YARN_NETWORK_TIMEOUT=300000';

function prepare({ name, version, berry }: PackageManager): string[] {
  const settings = name === 'yarn' ? [berry ? YARN_SETTINGS : YARN_1_SETTINGS] : [];
  if (version === null) return settings;
  if (name === 'bun') return [`RUN npm install --global --no-audit --no-fund bun@${version}`];
  // Corepack would fetch it from yarn's own host.
  if (name === 'yarn') {
    return [...settings, `RUN npm install --global --force --no-audit --no-fund @yarnpkg/cli-dist@${version}`];
  }
  return [
    // Corepack and its cache stay in the build stage; HOME is root's, which can write there.
    'ENV COREPACK_HOME=/opt/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0 CI=true',
    `RUN corepack enable && corepack prepare ${name}@${version} --activate`,
  ];
}

function commandsOf(
  manager: PackageManager,
  workspace: Workspace | null,
): Omit<InstallCommands, 'prepare' | 'cacheVariable' | 'copy' | 'manifests'> {
  const locked = manager.lockfile !== null;
  if (manager.name === 'pnpm') {
    const install = `pnpm install ${locked ? '--frozen-lockfile' : '--no-frozen-lockfile'}`;
    return {
      // Without --prod=false a NODE_ENV from the base image would leave out what the build needs.
      installAll: `${install} --prod=false`,
      installProduction: `${install} --prod`,
      // The second command leaves the packages of a monorepo with what they have.
      prune: `${workspace === null ? '' : `${install} --prod --prefer-offline --ignore-scripts && `}pnpm prune --prod --ignore-scripts`,
      run: (script) => `pnpm run ${script}`,
    };
  }
  if (manager.name === 'bun') {
    const install = `bun install${locked ? ' --frozen-lockfile' : ''}`;
    return {
      installAll: install,
      installProduction: `${install} --production`,
      prune: `rm -rf node_modules && ${install} --production --ignore-scripts`,
      run: (script) => `bun run ${script}`,
    };
  }
  if (manager.name === 'yarn' && manager.berry) {
    const install = `yarn install ${locked ? '--immutable' : '--no-immutable'}`;
    // Yarn 2 and 3 have this command in a plugin: without it what only development needs stays.
    const prune = `{ yarn workspaces focus ${workspace?.app.manifest.packageName ?? '--all'} --production || true; }`;
    return {
      installAll: install,
      installProduction: `${install} && ${prune}`,
      prune,
      run: (script) => `yarn run ${script}`,
    };
  }
  if (manager.name === 'yarn') {
    const install = `yarn install --non-interactive${locked ? ' --frozen-lockfile' : ''}`;
    return {
      installAll: `${install} --production=false`,
      installProduction: `${install} --production`,
      prune: `${install} --production --ignore-scripts --prefer-offline`,
      run: (script) => `yarn run ${script}`,
    };
  }
  const install = locked ? 'npm ci' : 'npm install';
  const only = workspace === null ? '' : ` --workspace=${workspace.app.folder} --include-workspace-root`;
  return {
    installAll: `${install}${only} --include=dev --no-audit --no-fund`,
    installProduction: `${install}${only} --omit=dev --no-audit --no-fund`,
    prune: `npm prune${only} --omit=dev --no-audit --no-fund`,
    run: (script) => `npm run ${script}`,
  };
}
