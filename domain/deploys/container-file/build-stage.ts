import type { AppDescription } from '../app/app-description.ts';
import { compilingImage } from './base-images.ts';
import { dropCaches, linkCaches, mountFlags, PACKAGE_CACHE, toolMounts } from './build-caches.ts';
import { COPY_BUN } from './copy-bun.ts';
import { copyManifests, leavesOutOthers, MANIFESTS } from './install-commands.ts';
import { layLockfileAside } from './new-lockfile.ts';

/** How the image is made beside what the app itself is. */
export interface ImageOptions {
  readonly secretsEnabled: boolean;
  /** True where the builder mounts caches into RUN instructions. */
  readonly cacheMounts: boolean;
  /** Build-time variables that the package manager needs, and the ids of the secrets that hold their values. */
  readonly registrySecrets?: readonly { readonly name: string; readonly id: string }[];
}

const COMPILERS_AT_ONCE = 4;

/**
 * Makes what many apps take for granted: a public folder (spec 2, step 4), and a file of settings, which is left out of
 * most repositories. Programs that read it themselves (`process.loadEnvFile()`) end without one, though their variables are set.
 */
export const USUAL_PLACES = 'mkdir -p public && touch .env';

/** The stage in which the app is built, up to its packages. */
export function installStage(app: AppDescription, options: ImageOptions): readonly string[] {
  const { commands, manager, nodeImage, nativePackages, install, installsFromSource, bun } = app;
  return [
    `FROM ${nativePackages.length > 0 ? compilingImage(nodeImage.value) : nodeImage.value} AS build`,
    'WORKDIR /app',
    // Hooks for git have nothing to do in an image, which has no repository.
    `ENV HUSKY=0 PATH=${binFolders(app)}:$PATH`,
    // node-gyp runs one compiler at a time unless it is told; each takes some 300 MB of the memory of a build.
    ...(nativePackages.length > 0 ? [`ENV JOBS=${COMPILERS_AT_ONCE}`] : []),
    ...(bun !== null && manager.name !== 'bun' ? [COPY_BUN] : []),
    ...commands.prepare,
    ...(options.cacheMounts ? [`ENV ${commands.cacheVariable}=${PACKAGE_CACHE}`] : []),
    ...(installsFromSource.value ? ['COPY . .', ...copyManifests(commands.manifests)] : commands.copy),
    ...(install === null
      ? []
      : [runInstruction(registryExports(options) + install.value, packageMounts(app, options))]),
    ...layLockfileAside(app),
  ];
}

/** The source, and the app built of it. */
export function builtSource(app: AppDescription, options: ImageOptions): readonly string[] {
  const { build, installsFromSource } = app;
  const caches = options.cacheMounts ? app.caches : [];
  return [
    ...(installsFromSource.value ? [] : ['COPY . .']),
    ...intoFolder(app),
    `RUN ${withoutOthers(app)}${USUAL_PLACES}`,
    ...Object.entries(app.buildEnvironment).map(([name, value]) => `ENV ${name}=${value}`),
    ...linkCaches(caches),
    ...(build === null
      ? []
      : [runInstruction(registryExports(options) + build.value, packageMounts(app, options) + toolMounts(caches))]),
  ];
}

/** Leaves nothing of the caches in the stage, and no more in them than a service may keep. */
export function leaveStage(app: AppDescription, options: ImageOptions): readonly string[] {
  if (!options.cacheMounts || app.install === null) return [];
  return [`RUN ${cacheMount(app)}${toolMounts(app.caches)}${dropCaches(app.caches)}`];
}

/** The app's folder in images. */
export function folderOf({ workspace }: AppDescription): string {
  return workspace === null ? '/app' : `/app/${workspace.app.folder}`;
}

/** Where the app's programs are: in its own folder, and in that of its monorepo. */
export function binFolders(app: AppDescription): string {
  return [...new Set([folderOf(app), '/app'])].map((folder) => `${folder}/node_modules/.bin`).join(':');
}

export function intoFolder(app: AppDescription): readonly string[] {
  return app.workspace === null ? [] : [`WORKDIR ${folderOf(app)}`];
}

/** The prune command, which is of the folder with the lockfile. */
export function pruneCommand({ commands, workspace }: AppDescription): string {
  return workspace === null ? `${commands.prune}` : `cd /app && ${commands.prune}`;
}

/** What the build context has of other packages, where it has a .dockerignore of its own, is installed by some. */
function withoutOthers({ commands, manager, workspace }: AppDescription): string {
  const others = leavesOutOthers(manager) ? (workspace?.others ?? []) : [];
  const folders = [
    ...(Object.keys(commands.manifests).length > 0 ? [MANIFESTS] : []),
    ...others.map(({ folder }) => folder),
  ];
  return folders.length === 0 ? '' : `rm -rf ${folders.map((folder) => `/app/${folder}`).join(' ')} && `;
}

/** The flags of RUN for a package manager: what it keeps between builds, and its secrets, which are in no layer unless a script writes them there. */
export function packageMounts(app: AppDescription, { cacheMounts, registrySecrets = [] }: ImageOptions): string {
  const secrets = registrySecrets.map(({ name, id }) => `--mount=type=secret,id=${id},target=${secretFile(name)} `);
  return `${cacheMounts ? cacheMount(app) : ''}${secrets.join('')}`;
}

/** Sets the variables of the package manager for the commands that follow. */
export function registryExports({ registrySecrets = [] }: ImageOptions): string {
  return registrySecrets.map(({ name }) => `export ${name}="$(cat ${secretFile(name)})" && `).join('');
}

function secretFile(name: string): string {
  return `/run/registry-variables/${name}`;
}

function cacheMount({ manager }: AppDescription): string {
  return mountFlags([{ id: manager.name, folder: PACKAGE_CACHE }]);
}

/** A RUN instruction of a command line of the app's author, who can write neither further instructions nor flags of RUN with it. */
function runInstruction(line: string, flags: string): string {
  const isPlain = /^[\w./@][\w ./:=@%+,&-]*$/.test(line);
  return `RUN ${flags}${isPlain ? line : JSON.stringify(['/bin/sh', '-c', line])}`;
}
