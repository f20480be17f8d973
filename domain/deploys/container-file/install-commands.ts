import type { PackageManager } from './detect-package-manager.ts';

/** Files that decide what is installed; copied before the rest, so that an unchanged set is not installed again. */
const INSTALL_FILES = ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs'];
const INSTALL_FOLDERS = ['.yarn', 'patches', 'prisma'];

export interface InstallCommands {
  /** Instructions that make the package manager available, run as root in the build stage only. */
  readonly prepare: readonly string[];
  readonly copy: readonly string[];
  readonly installAll: string;
  readonly installProduction: string;
  /** Takes what only the build needs out of node_modules; null when the package manager cannot. */
  readonly prune: string | null;
  readonly run: (script: string) => string;
}

/** Commands of the package manager that the lockfile asks for. */
export function installCommands(manager: PackageManager, files: readonly string[]): InstallCommands {
  const locks = manager.lockfile === null ? [] : [manager.lockfile];
  const present = [...INSTALL_FILES.filter((file) => files.includes(file)), ...locks];
  return {
    prepare: prepare(manager),
    copy: [
      `COPY ${present.join(' ')} ./`,
      ...INSTALL_FOLDERS.filter((folder) => files.includes(folder)).map((folder) => `COPY ${folder} ./${folder}`),
    ],
    ...commandsOf(manager),
  };
}

function prepare({ name, version }: PackageManager): string[] {
  if (version === null) return [];
  return [
    // Corepack and its cache stay in the build stage; HOME is root's, which can write there.
    'ENV COREPACK_HOME=/opt/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0 CI=true',
    `RUN corepack enable && corepack prepare ${name}@${version} --activate`,
  ];
}

function commandsOf(manager: PackageManager): Omit<InstallCommands, 'prepare' | 'copy'> {
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
  if (manager.name === 'yarn' && manager.berry) {
    const install =
      `YARN_NODE_LINKER=node-modules YARN_ENABLE_TELEMETRY=0 yarn install ${locked ? '--immutable' : ''}`.trim();
    return { installAll: install, installProduction: install, prune: null, run: (script) => `yarn run ${script}` };
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
