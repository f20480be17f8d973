import type { AppDescription } from '../app/app-description.ts';
import { APP_USER, BASE_IMAGES, compilingImage } from './base-images.ts';
import { ENTRYPOINT_PATH, ENTRYPOINT_SCRIPT, writeFileInstruction } from './entrypoint-script.ts';
import { COLLECT_LIBRARIES, COPY_LIBRARIES } from './native-libraries.ts';
import { NGINX_START_SCRIPT, nginxConf } from './nginx-conf.ts';

/** Starts the web server of static sites. */
const WEB_SERVER = ['/bin/sh', '/app-start.sh'];

/** Programs that ask the system who they are, as `os.userInfo()` does, fail where the user's number has no name. */
const NAME_OF_USER = `RUN grep -q "^[^:]*:[^:]*:${APP_USER}:" /etc/passwd || echo "app:x:${APP_USER}:${APP_USER}::/tmp:/bin/sh" >> /etc/passwd`;

/** How the image is made beside what the app itself is. */
export interface ImageOptions {
  readonly secretsEnabled: boolean;
}

/** A Node server, with a build when it has one. */
export function nodeInstructions(app: AppDescription, options: ImageOptions): readonly string[] {
  const prune = prunes(app) ? [`RUN ${app.commands.prune}`] : [];
  if (app.build === null && !app.installsFromSource.value && !app.commands.hasWorkspaces) {
    return [
      ...installStage(app),
      ...(app.install?.value === app.commands.installProduction ? [] : prune),
      'RUN mkdir -p node_modules',
      ...collectLibraries(app),
      ...nodeStage(app, ['COPY --from=build /app/node_modules ./node_modules', 'COPY . .', 'RUN mkdir -p public']),
      ...ending(app, options),
    ];
  }
  return [
    ...installStage(app),
    ...builtSource(app),
    ...prune,
    ...collectLibraries(app),
    ...nodeStage(app, ['COPY --from=build /app ./']),
    ...ending(app, options),
  ];
}

/**
 * nextjs: what the author starts, or the standalone output where the app is configured for it, or the pruned app; decided
 * by what the build made.
 */
export function nextjsInstructions(app: AppDescription, options: ImageOptions): readonly string[] {
  const prune = prunes(app) ? `{ ${app.commands.prune}; }` : 'true';
  const folder = app.nextFolder ?? '.next';
  const cache = 'mkdir -p /tmp/next-cache';
  return [
    ...installStage(app),
    'ENV NEXT_TELEMETRY_DISABLED=1 NODE_ENV=production',
    ...builtSource(app),
    'RUN mkdir -p /out \\',
    `  && if ${app.nextStarts ? '' : 'false && '}[ -f ${folder}/standalone/server.js ]; then \\`,
    `    cp -R ${folder}/standalone/. /out/ && mkdir -p /out/${folder} && cp -R ${folder}/static /out/${folder}/static \\`,
    `    && rm -rf /out/public && cp -R public /out/public && echo '${cache}; exec node server.js' > /out/start.sh; \\`,
    '  else \\',
    `    ${prune} && rm -rf ${folder}/cache && cp -R . /out/ \\`,
    `    && echo '${cache}; exec node node_modules/next/dist/bin/next start' > /out/start.sh; \\`,
    '  fi \\',
    // The cache is written at run time, when the root file system is read-only.
    `  && mkdir -p /out/${folder} && rm -rf /out/${folder}/cache && ln -s /tmp/next-cache /out/${folder}/cache`,
    ...collectLibraries(app),
    ...nodeStage(app, ['ENV HOSTNAME=0.0.0.0 NEXT_TELEMETRY_DISABLED=1', 'COPY --from=build /out ./']),
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
      : [...installStage(app), ...builtSource(app)]),
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

function installStage(app: AppDescription): readonly string[] {
  const { commands, nodeImage, nativePackages, install, installsFromSource } = app;
  return [
    `FROM ${nativePackages.length > 0 ? compilingImage(nodeImage.value) : nodeImage.value} AS build`,
    'WORKDIR /app',
    // Hooks for git have nothing to do in an image, which has no repository.
    'ENV HUSKY=0 PATH=/app/node_modules/.bin:$PATH',
    ...commands.prepare,
    ...(installsFromSource.value ? ['COPY . .'] : commands.copy),
    ...(install === null ? [] : [runInstruction(install.value)]),
  ];
}

function builtSource({ build, installsFromSource }: AppDescription): readonly string[] {
  return [
    ...(installsFromSource.value ? [] : ['COPY . .']),
    'RUN mkdir -p public',
    ...(build === null ? [] : [runInstruction(build.value)]),
  ];
}

/** A RUN instruction of a command line of the app's author, who can write neither further instructions nor flags of RUN with it. */
function runInstruction(line: string): string {
  return /^[\w./@][\w ./:=@%+,&-]*$/.test(line) ? `RUN ${line}` : `RUN ${JSON.stringify(['/bin/sh', '-c', line])}`;
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
  const { port, runsOn, environment, nativePackages } = app;
  return [
    '',
    `FROM ${runsOn}`,
    NAME_OF_USER,
    'WORKDIR /app',
    // The app's user has no home folder, and only /tmp is writable when it runs.
    `ENV NODE_ENV=production PORT=${port.value} HOME=/tmp PATH=/app/node_modules/.bin:$PATH`,
    ...Object.entries(environment).map(([name, value]) => `ENV ${name}=${value}`),
    ...(nativePackages.length > 0 ? [COPY_LIBRARIES] : []),
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
