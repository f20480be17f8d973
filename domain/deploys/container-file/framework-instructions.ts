import type { AppDescription } from '../app/app-description.ts';
import { APP_USER, BASE_IMAGES } from './base-images.ts';
import { ENTRYPOINT_PATH, ENTRYPOINT_SCRIPT, writeFileInstruction } from './entrypoint-script.ts';
import { NGINX_START_SCRIPT, nginxConf } from './nginx-conf.ts';

/** Starts the web server of static sites. */
const WEB_SERVER = ['/bin/sh', '/app-start.sh'];

/** How the image is made beside what the app itself is. */
export interface ImageOptions {
  readonly secretsEnabled: boolean;
}

/** express, fastify and hono: a Node server, with a build when it has one. */
export function nodeInstructions(app: AppDescription, options: ImageOptions): readonly string[] {
  if (app.build === null) {
    return [
      ...installStage(app),
      'RUN mkdir -p node_modules',
      ...nodeStage(app, ['COPY --from=build /app/node_modules ./node_modules', 'COPY . .', 'RUN mkdir -p public']),
      ...ending(app, options),
    ];
  }
  return [
    ...installStage(app),
    ...builtSource(app.build.value),
    ...(prunes(app) ? [`RUN ${app.commands.prune}`] : []),
    ...nodeStage(app, ['COPY --from=build /app ./']),
    ...ending(app, options),
  ];
}

/** nextjs: the standalone output where the app is configured for it, the pruned app otherwise; decided by what the build made. */
export function nextjsInstructions(app: AppDescription, options: ImageOptions): readonly string[] {
  const prune = prunes(app) ? `{ ${app.commands.prune}; }` : 'true';
  const cache = 'mkdir -p /tmp/next-cache';
  return [
    ...installStage(app),
    'ENV NEXT_TELEMETRY_DISABLED=1 NODE_ENV=production',
    ...builtSource(app.build?.value ?? 'true'),
    'RUN mkdir -p /out \\',
    '  && if [ -f .next/standalone/server.js ]; then \\',
    '    cp -R .next/standalone/. /out/ && mkdir -p /out/.next && cp -R .next/static /out/.next/static \\',
    `    && rm -rf /out/public && cp -R public /out/public && echo '${cache}; exec node server.js' > /out/start.sh; \\`,
    '  else \\',
    `    ${prune} && rm -rf .next/cache && cp -R . /out/ \\`,
    `    && echo '${cache}; exec node node_modules/next/dist/bin/next start' > /out/start.sh; \\`,
    '  fi \\',
    // The cache is written at run time, when the root file system is read-only.
    '  && rm -rf /out/.next/cache && ln -s /tmp/next-cache /out/.next/cache',
    ...nodeStage(app, ['ENV HOSTNAME=0.0.0.0 NEXT_TELEMETRY_DISABLED=1', 'COPY --from=build /out ./']),
    ...ending(app, options),
  ];
}

/** static: the site, built first when the manifest has a build, behind a web server without root. */
export function staticInstructions(app: AppDescription, options: ImageOptions): readonly string[] {
  const folders = (app.output?.value ?? ['.']).join(' ');
  return [
    ...(app.build === null
      ? [`FROM ${BASE_IMAGES.nginx} AS build`, 'WORKDIR /app', 'COPY . .']
      : [...installStage(app), ...builtSource(app.build.value)]),
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
      nginxConf({ port: app.port.value, healthEndpoint: app.healthEndpoint }),
    ),
    writeFileInstruction('/app-start.sh', NGINX_START_SCRIPT),
    'COPY --from=build /site /usr/share/nginx/html',
    'RUN chmod -R a+rX /usr/share/nginx/html',
    'ENTRYPOINT []',
    // The web server ends requests in flight on this one, and drops them on the usual one.
    'STOPSIGNAL SIGQUIT',
    ...ending(app, options),
  ];
}

function prunes({ commands, keepsDevelopment }: AppDescription): boolean {
  return commands.prune !== null && !keepsDevelopment.value;
}

function installStage({ commands, nodeImage, install }: AppDescription): readonly string[] {
  const run = install === null ? [] : [`RUN ${install.value}`];
  return [`FROM ${nodeImage.value} AS build`, 'WORKDIR /app', ...commands.prepare, ...commands.copy, ...run];
}

function builtSource(build: string): readonly string[] {
  return ['COPY . .', 'RUN mkdir -p public', `RUN ${build}`];
}

function nodeStage({ port, runsOn }: AppDescription, content: readonly string[]): readonly string[] {
  return [
    '',
    `FROM ${runsOn}`,
    'WORKDIR /app',
    // The app's user has no home folder, and only /tmp is writable when it runs.
    `ENV NODE_ENV=production PORT=${port.value} HOME=/tmp PATH=/app/node_modules/.bin:$PATH`,
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
