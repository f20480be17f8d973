import type { Manifest } from '../../catalog/read-manifest.ts';
import { APP_USER, BASE_IMAGES } from './base-images.ts';
import { ENTRYPOINT_PATH, ENTRYPOINT_SCRIPT, writeFileInstruction } from './entrypoint-script.ts';
import type { InstallCommands } from './install-commands.ts';
import { NGINX_START_SCRIPT, nginxConf } from './nginx-conf.ts';
import { startCommand } from './start-command.ts';

/** What the instructions of a generated container file depend on. */
export interface AppFacts {
  readonly manifest: Manifest;
  /** What the app is built on, and runs on unless it is static. */
  readonly nodeImage: string;
  readonly files: readonly string[];
  readonly port: number;
  readonly healthEndpoint: string;
  readonly secretsEnabled: boolean;
  readonly commands: InstallCommands;
  readonly warnings: string[];
}

/** express, fastify and hono: a Node server, with a build when the manifest has one. */
export function nodeInstructions(facts: AppFacts): readonly string[] {
  const { commands, manifest } = facts;
  const command = startCommand(manifest, facts.files, facts.warnings);
  if (manifest.scripts.build === undefined) {
    return [
      ...buildStage(facts, commands.installProduction),
      'RUN mkdir -p node_modules',
      ...nodeStage(facts, ['COPY --from=build /app/node_modules ./node_modules', 'COPY . .', 'RUN mkdir -p public']),
      ...ending(facts, command),
    ];
  }
  return [
    ...buildStage(facts, commands.installAll),
    ...builtSource(commands.run('build')),
    ...(commands.prune === null ? [] : [`RUN ${commands.prune}`]),
    ...nodeStage(facts, ['COPY --from=build /app ./']),
    ...ending(facts, command),
  ];
}

/** nextjs: the standalone output where the app is configured for it, the pruned app otherwise; decided by what the build made. */
export function nextjsInstructions(facts: AppFacts): readonly string[] {
  const { commands, manifest } = facts;
  const build = manifest.scripts.build === undefined ? 'node_modules/.bin/next build' : commands.run('build');
  const prune = commands.prune === null ? 'true' : `{ ${commands.prune}; }`;
  const cache = 'mkdir -p /tmp/next-cache';
  return [
    ...buildStage(facts, commands.installAll),
    'ENV NEXT_TELEMETRY_DISABLED=1 NODE_ENV=production',
    ...builtSource(build),
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
    ...nodeStage(facts, ['ENV HOSTNAME=0.0.0.0 NEXT_TELEMETRY_DISABLED=1', 'COPY --from=build /out ./']),
    ...ending(facts, ['/bin/sh', '/app/start.sh']),
  ];
}

/** static: the site, built first when the manifest has a build, behind a web server without root. */
export function staticInstructions(facts: AppFacts): readonly string[] {
  const built = facts.manifest.scripts.build !== undefined;
  const folders = built ? 'dist build out _site public .' : 'public dist .';
  return [
    ...(built
      ? [...buildStage(facts, facts.commands.installAll), ...builtSource(facts.commands.run('build'))]
      : [`FROM ${BASE_IMAGES.nginx} AS build`, 'WORKDIR /app', 'COPY . .']),
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
    writeFileInstruction('/etc/nginx/app.conf', nginxConf(facts)),
    writeFileInstruction('/app-start.sh', NGINX_START_SCRIPT),
    'COPY --from=build /site /usr/share/nginx/html',
    'RUN chmod -R a+rX /usr/share/nginx/html',
    'ENTRYPOINT []',
    // The web server ends requests in flight on this one, and drops them on the usual one.
    'STOPSIGNAL SIGQUIT',
    ...ending(facts, ['/bin/sh', '/app-start.sh']),
  ];
}

function buildStage({ commands, nodeImage }: AppFacts, install: string): readonly string[] {
  return [`FROM ${nodeImage} AS build`, 'WORKDIR /app', ...commands.prepare, ...commands.copy, `RUN ${install}`];
}

function builtSource(build: string): readonly string[] {
  return ['COPY . .', 'RUN mkdir -p public', `RUN ${build}`];
}

function nodeStage(facts: AppFacts, content: readonly string[]): readonly string[] {
  return [
    '',
    `FROM ${facts.nodeImage}`,
    'WORKDIR /app',
    // The app's user has no home folder, and only /tmp is writable when it runs.
    `ENV NODE_ENV=production PORT=${facts.port} HOME=/tmp PATH=/app/node_modules/.bin:$PATH`,
    ...content,
  ];
}

function ending({ port, secretsEnabled }: AppFacts, command: readonly string[]): readonly string[] {
  return [
    ...(secretsEnabled
      ? [
          writeFileInstruction(ENTRYPOINT_PATH, ENTRYPOINT_SCRIPT),
          `ENTRYPOINT ${JSON.stringify(['/bin/sh', ENTRYPOINT_PATH])}`,
        ]
      : []),
    `USER ${APP_USER}`,
    `EXPOSE ${port}`,
    `CMD ${JSON.stringify(command)}`,
  ];
}
