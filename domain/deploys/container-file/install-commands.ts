import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
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
  readonly copy: readonly string[];
  /** True when packages of the repository lie in folders with packages of their own. */
  readonly hasWorkspaces: boolean;
  readonly installAll: string;
  readonly installProduction: string;
  /** Takes what only the build needs out of node_modules; null when the package manager cannot. */
  readonly prune: string | null;
  readonly run: (script: string) => string;
}

/** Commands of the package manager that the lockfile asks for. */
export function installCommands(
  manager: PackageManager,
  manifest: Manifest,
  { files, texts }: AppSource,
  warnings: string[],
): InstallCommands {
  const locks = manager.lockfile === null ? [] : [manager.lockfile];
  const present = [...INSTALL_FILES.filter((file) => files.includes(file)), ...locks];
  const members = Object.keys(texts).filter((path) => path.endsWith(`/${MANIFEST}`));
  const local = localDependencies(manifest, warnings);
  return {
    prepare: prepare(manager),
    copy: [
      `COPY ${present.join(' ')} ./`,
      ...INSTALL_FOLDERS.filter((folder) => files.includes(folder)).map((folder) => `COPY ${folder} ./${folder}`),
      // Only their manifests decide what is installed.
      ...members.map((path) => `COPY ${JSON.stringify([path, `./${path}`])}`),
      ...local.map((path) => `COPY ${JSON.stringify([path, `./${path}`])}`),
    ],
    hasWorkspaces: members.length > 0,
    ...commandsOf(manager),
  };
}

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

function commandsOf(manager: PackageManager): Omit<InstallCommands, 'prepare' | 'copy' | 'hasWorkspaces'> {
  const locked = manager.lockfile !== null;
  if (manager.name === 'pnpm') {
    const install = `pnpm install ${locked ? '--frozen-lockfile' : '--no-frozen-lockfile'}`;
    return {
      // Without --prod=false a NODE_ENV from the base image would leave out what the build needs.
      installAll: `${install} --prod=false`,
      installProduction: `${install} --prod`,
      prune: 'pnpm prune --prod --ignore-scripts',
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
    const prune = '{ yarn workspaces focus --all --production || true; }';
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
      installProduction: `${install} --production && yarn cache clean`,
      prune: `${install} --production --ignore-scripts --prefer-offline`,
      run: (script) => `yarn run ${script}`,
    };
  }
  const install = locked ? 'npm ci' : 'npm install';
  return {
    installAll: `${install} --include=dev --no-audit --no-fund`,
    installProduction: `${install} --omit=dev --no-audit --no-fund`,
    prune: 'npm prune --omit=dev --no-audit --no-fund',
    run: (script) => `npm run ${script}`,
  };
}
