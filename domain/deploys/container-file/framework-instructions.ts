import type { AppDescription } from '../app/app-description.ts';
import { APP_USER, BASE_IMAGES } from './base-images.ts';
import {
  binFolders,
  builtSource,
  type ImageOptions,
  installStage,
  intoFolder,
  leaveStage,
  packageMounts,
  pruneCommand,
  registryExports,
  USUAL_PLACES,
} from './build-stage.ts';
import { COPY_BUN } from './copy-bun.ts';
import { ENTRYPOINT_PATH, ENTRYPOINT_SCRIPT, writeFileInstruction } from './entrypoint-script.ts';
import { NAME_OF_USER } from './name-of-user.ts';
import { COLLECT_LIBRARIES, COPY_LIBRARIES } from './native-libraries.ts';
import { copyLockfile } from './new-lockfile.ts';
import { NGINX_START_SCRIPT, nginxConf } from './nginx-conf.ts';
import { COPY_BOTH, PART_FROM_PACKAGES, SOURCE_FOLDER, WITHOUT_PACKAGES } from './package-layer.ts';

/** Starts the web server of static sites. */
const WEB_SERVER = ['/bin/sh', '/app-start.sh'];

/** A Node server, with a build when it has one. */
export function nodeInstructions(app: AppDescription, options: ImageOptions): readonly string[] {
  const prune = prunes(app)
    ? [`RUN ${packageMounts(app, options)}${registryExports(options)}${pruneCommand(app)}`]
    : [];
  if (app.build === null && !app.installsFromSource.value && Object.keys(app.commands.manifests).length === 0) {
    return [
      ...installStage(app, options),
      ...(app.install?.value === app.commands.installProduction ? [] : prune),
      ...leaveStage(app, options),
      'RUN mkdir -p node_modules',
      ...collectLibraries(app),
      ...nodeStage(app, ['COPY --from=build /app/node_modules ./node_modules', 'COPY . .', `RUN ${USUAL_PLACES}`]),
      ...ending(app, options),
    ];
  }
  return [
    ...installStage(app, options),
    ...builtSource(app, options),
    ...prune,
    ...leaveStage(app, options),
    ...collectLibraries(app),
    `RUN ${PART_FROM_PACKAGES}`,
    ...nodeStage(app, [...COPY_BOTH, ...intoFolder(app)]),
    ...ending(app, options),
  ];
}

/**
 * nextjs: what the author starts, or the standalone output where the app is configured for it, or the pruned app; decided
 * by what the build made.
 */
export function nextjsInstructions(app: AppDescription, options: ImageOptions): readonly string[] {
  const prune = prunes(app) ? `(${pruneCommand(app)})` : 'true';
  const folder = app.nextFolder ?? '.next';
  const cache = 'mkdir -p /tmp/next-cache';
  const within = app.workspace === null ? '' : `${app.workspace.app.folder}/`;
  const out = `${SOURCE_FOLDER}/${within}`;
  const next = app.workspace === null ? 'node node_modules/next/dist/bin/next' : 'next';
  return [
    ...installStage(app, options),
    'ENV NEXT_TELEMETRY_DISABLED=1 NODE_ENV=production',
    ...builtSource(app, options),
    ...leaveStage(app, options),
    `RUN ${packageMounts(app, options)}${registryExports(options)}mkdir -p ${SOURCE_FOLDER} \\`,
    `  && if ${app.nextStarts ? '' : 'false && '}[ -f ${folder}/standalone/${within}server.js ]; then \\`,
    `    cp -R ${folder}/standalone/. ${SOURCE_FOLDER}/ && mkdir -p ${out}${folder} && cp -R ${folder}/static ${out}${folder}/static \\`,
    `    && rm -rf ${out}public && cp -R public ${out}public && ${WITHOUT_PACKAGES} \\`,
    `    && echo '${cache}; exec node server.js' > ${out}start.sh; \\`,
    '  else \\',
    `    ${prune} && rm -rf ${folder}/cache && ${PART_FROM_PACKAGES} \\`,
    `    && echo '${cache}; exec ${next} start' > ${out}start.sh; \\`,
    '  fi \\',
    // The cache is written at run time, when the root file system is read-only.
    `  && mkdir -p ${out}${folder} && rm -rf ${out}${folder}/cache && ln -s /tmp/next-cache ${out}${folder}/cache`,
    ...collectLibraries(app),
    ...nodeStage(app, ['ENV HOSTNAME=0.0.0.0 NEXT_TELEMETRY_DISABLED=1', ...COPY_BOTH, ...intoFolder(app)]),
    ...ending(app, options),
  ];
}

/** static: the site, built first when the manifest has a build, behind a web server without root. */
export function staticInstructions(app: AppDescription, options: ImageOptions): readonly string[] {
  const folders = (app.site?.folders.value ?? ['.']).join(' ');
  const basePath = app.site?.basePath ?? null;
  return [
    ...(app.build === null
      ? [`FROM ${BASE_IMAGES.nginx} AS build`, 'WORKDIR /app', 'COPY . .']
      : [...installStage(app, options), ...builtSource(app, options), ...leaveStage(app, options)]),
    `RUN mkdir -p /site && for folder in ${folders}; do \\`,
    '    if [ -f "$folder/index.html" ]; then cp -R "$folder/." /site/; break; fi; \\',
    '  done \\',
    `  && if [ ! -f /site/index.html ]; then echo "no index.html was found in: ${folders}" >&2; exit 1; fi \\`,
    // Settings, history and packages are not part of the site.
    '  && rm -rf /site/node_modules /site/package.json /site/package-lock.json /site/yarn.lock /site/pnpm-lock.yaml \\',
    '    /site/catalog-info.yaml /site/Dockerfile \\',
    '  && find /site -mindepth 1 -maxdepth 1 -name ".*" ! -name .well-known -exec rm -rf {} +',
    '',
    `FROM ${BASE_IMAGES.nginx}`,
    writeFileInstruction(
      '/etc/nginx/app.conf',
      nginxConf({
        port: app.port.value,
        healthEndpoint: app.healthEndpoint,
        singlePage: app.site?.singlePage.value ?? false,
      }),
    ),
    writeFileInstruction('/app-start.sh', NGINX_START_SCRIPT),
    ...copyLockfile(app),
    'COPY --from=build /site /usr/share/nginx/html',
    'RUN chmod -R a+rX /usr/share/nginx/html',
    ...(basePath === null ? [] : [atBasePath(basePath)]),
    'ENTRYPOINT []',
    // The web server ends requests in flight on this one, and drops them on the usual one.
    'STOPSIGNAL SIGQUIT',
    ...ending(app, options),
  ];
}

function prunes({ commands, keepsDevelopment }: AppDescription): boolean {
  return commands.prune !== null && !keepsDevelopment.value;
}

/** The pages of some sites look for their files below a path, such as that of a project's page at their usual host. */
function atBasePath(path: string): string {
  const folder = `/usr/share/nginx/html/${path}`;
  return `RUN [ -e ${folder} ] || { mkdir -p ${folder.slice(0, folder.lastIndexOf('/'))} && ln -s /usr/share/nginx/html ${folder}; }`;
}

function collectLibraries({ nativePackages }: AppDescription): readonly string[] {
  return nativePackages.length > 0 ? COLLECT_LIBRARIES : [];
}

function nodeStage(app: AppDescription, content: readonly string[]): readonly string[] {
  const { port, runsOn, environment, nativePackages, bun } = app;
  return [
    '',
    `FROM ${runsOn}`,
    NAME_OF_USER,
    ...(bun === null ? [] : [COPY_BUN]),
    'WORKDIR /app',
    // The app's user has no home folder, and only /tmp is writable when it runs.
    `ENV NODE_ENV=production PORT=${port.value} HOME=/tmp PATH=${binFolders(app)}:$PATH`,
    ...Object.entries(environment).map(([name, value]) => `ENV ${name}=${value}`),
    ...(nativePackages.length > 0 ? [COPY_LIBRARIES] : []),
    ...copyLockfile(app),
    ...content,
  ];
}

function ending({ port, start }: AppDescription, { secretsEnabled }: ImageOptions): readonly string[] {
  return [
    ...(secretsEnabled
      ? [
          writeFileInstruction(ENTRYPOINT_PATH, ENTRYPOINT_SCRIPT),
          `ENTRYPOINT ${JSON.stringify(['/bin/sh', ENTRYPOINT_PATH])}`,
        ]
      : []),
    `USER ${APP_USER}`,
    `EXPOSE ${port.value}`,
    `CMD ${JSON.stringify(start?.value ?? WEB_SERVER)}`,
  ];
}
