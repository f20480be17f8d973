import type { Workspace } from '../app/workspace.ts';
import type { PackageManager } from './detect-package-manager.ts';

/** How a package manager installs what an app needs, and runs its scripts. */
export interface ManagerCommands {
  readonly installAll: string;
  readonly installProduction: string;
  /** Takes what only the build needs out of node_modules; null when the package manager cannot. */
  readonly prune: string | null;
  readonly run: (script: string) => string;
}

/** Commands of a package manager, of which an install follows the lockfile where there is one. */
export function managerCommands(
  manager: PackageManager,
  workspace: Workspace | null,
  ignoresEngines: boolean,
): ManagerCommands {
  const locked = manager.lockfile !== null;
  switch (manager.name) {
    case 'pnpm':
      return pnpmCommands(locked, workspace);
    case 'bun':
      return bunCommands(locked);
    case 'yarn':
      return manager.berry
        ? berryCommands(locked && !manager.rewritesLock, workspace)
        : yarnCommands(locked, ignoresEngines);
    case 'npm':
      return npmCommands(locked, workspace);
  }
}

function pnpmCommands(locked: boolean, workspace: Workspace | null): ManagerCommands {
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

function bunCommands(locked: boolean): ManagerCommands {
  const install = `bun install${locked ? ' --frozen-lockfile' : ''}`;
  return {
    installAll: install,
    installProduction: `${install} --production`,
    prune: bunPrune(`${install} --production --ignore-scripts`),
    run: (script) => `bun run ${script}`,
  };
}

/** Bun has no such command: what an install for production leaves out goes, and what scripts made in the others stays. */
function bunPrune(install: string): string {
  const [all, kept] = ['.all-packages', '.kept-packages'];
  return [
    `mkdir -p node_modules && mv node_modules ${all}`,
    `${install} && mkdir -p node_modules && mv node_modules ${kept}`,
    `mv ${all} node_modules`,
    `(cd node_modules; for name in * @*/*; do [ -e "../${kept}/$name" ] || rm -rf "$name"; done)`,
    `rm -rf node_modules/.bin`,
    `{ [ ! -e ${kept}/.bin ] || mv ${kept}/.bin node_modules/; }`,
    `rm -rf ${kept}`,
  ].join(' && ');
}

function berryCommands(locked: boolean, workspace: Workspace | null): ManagerCommands {
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

function yarnCommands(locked: boolean, ignoresEngines: boolean): ManagerCommands {
  const words = ['yarn install --non-interactive'];
  if (locked) words.push('--frozen-lockfile');
  // Others warn of a package that refuses the Node.js, unless their settings say otherwise; yarn 1 ends with an error.
  if (ignoresEngines) words.push('--ignore-engines');
  const install = words.join(' ');
  return {
    installAll: `${install} --production=false`,
    installProduction: `${install} --production`,
    prune: `${install} --production --ignore-scripts --prefer-offline`,
    run: (script) => `yarn run ${script}`,
  };
}

function npmCommands(locked: boolean, workspace: Workspace | null): ManagerCommands {
  const install = locked ? 'npm ci' : 'npm install';
  const only =
    workspace === null || workspace.isWhole ? '' : ` --workspace=${workspace.app.folder} --include-workspace-root`;
  return {
    installAll: `${install}${only} --include=dev --no-audit --no-fund`,
    installProduction: `${install}${only} --omit=dev --no-audit --no-fund`,
    prune: `npm prune${only} --omit=dev --no-audit --no-fund`,
    run: (script) => `npm run ${script}`,
  };
}
