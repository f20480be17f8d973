import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import type { Framework } from '../../catalog/catalog.ts';
import { type Manifest, readManifest } from '../../catalog/read-manifest.ts';
import { FairleadError } from '../../errors.ts';
import { BASE_IMAGES } from '../container-file/base-images.ts';
import { detectPackageManager } from '../container-file/detect-package-manager.ts';
import { type InstallCommands, installCommands } from '../container-file/install-commands.ts';
import type { AppDescription, Choice } from './app-description.ts';
import { nodeImage } from './node-version.ts';
import { startCommand } from './start-command.ts';

/** What the catalog declares of an app; null where it declares nothing. */
export interface Declared {
  readonly framework: Framework;
  /** `platform.io/port` */
  readonly port: number | null;
  readonly healthEndpoint: string;
}

const DEFAULT_PORTS: Readonly<Record<Framework, number>> = {
  express: 3000,
  fastify: 3000,
  hono: 3000,
  nextjs: 3000,
  static: 8080,
};

/** The package by which a manifest names the version of a framework. */
const FRAMEWORK_PACKAGE: Readonly<Record<Framework, string>> = {
  express: 'express',
  fastify: 'fastify',
  hono: 'hono',
  nextjs: 'next',
  static: '',
};

/**
 * How an app is built and started, from its source alone (spec 2, step 4). Pure: none of the source is run.
 *
 * @throws CONTAINER_FILE_INVALID when the manifest is missing or says no way to start the app.
 */
export function describeApp(source: AppSource, declared: Declared): AppDescription {
  const { framework } = declared;
  const text = source.texts[MANIFEST] ?? null;
  if (text === null && framework !== 'static') {
    throw new FairleadError(
      'CONTAINER_FILE_INVALID',
      `a ${framework} app needs a package.json in its build context; add one, or name a container file of your own`,
    );
  }
  const warnings: string[] = [];
  const manifest = readManifest(text, warnings);
  // A static site without a build installs nothing, so packages and Node.js are no concern of its owner.
  const usesNode = framework !== 'static' || manifest.scripts.build !== undefined;
  const concerns = usesNode ? warnings : [];
  const manager = detectPackageManager(manifest, source.files, concerns);
  const commands = installCommands(manager, source.files);
  const node = nodeImage(manifest.nodeRange);
  if (node.warning !== null) concerns.push(node.warning);
  const build = buildOf(framework, manifest, commands);
  return {
    framework,
    frameworkVersion: manifest.versions[FRAMEWORK_PACKAGE[framework]] ?? null,
    manager,
    commands,
    nodeImage: { value: node.image, reason: node.reason },
    install: usesNode ? installOf(framework, build, manager.lockfile, commands) : null,
    build,
    start: startOf(framework, manifest, source.files, warnings),
    output: framework === 'static' ? outputOf(build) : null,
    port: portOf(declared),
    keepsDevelopment: { value: false, reason: 'nothing that starts the app needs them' },
    runsOn: framework === 'static' ? BASE_IMAGES.nginx : node.image,
    hasIgnoreFile: source.files.includes('.dockerignore'),
    healthEndpoint: declared.healthEndpoint,
    warnings,
  };
}

function buildOf(framework: Framework, { scripts }: Manifest, commands: InstallCommands): Choice<string> | null {
  if (scripts.build !== undefined) return { value: commands.run('build'), reason: 'package.json has a build script' };
  if (framework !== 'nextjs') return null;
  return {
    value: 'node_modules/.bin/next build',
    reason: 'Next.js apps are built, and package.json has no build script',
  };
}

function installOf(
  framework: Framework,
  build: Choice<string> | null,
  lockfile: string | null,
  commands: InstallCommands,
): Choice<string> {
  const reason = lockfile === null ? 'there is no lockfile' : `there is ${lockfile}`;
  const needsAll = build !== null || framework === 'nextjs';
  return { value: needsAll ? commands.installAll : commands.installProduction, reason };
}

function startOf(
  framework: Framework,
  manifest: Manifest,
  files: readonly string[],
  warnings: string[],
): Choice<readonly string[]> | null {
  if (framework === 'static') return null;
  if (framework === 'nextjs') {
    return { value: ['/bin/sh', '/app/start.sh'], reason: 'Next.js starts what its build made' };
  }
  return startCommand(manifest, files, warnings);
}

function outputOf(build: Choice<string> | null): Choice<readonly string[]> {
  if (build === null) return { value: ['public', 'dist', '.'], reason: 'the usual folders of a site' };
  return { value: ['dist', 'build', 'out', '_site', 'public', '.'], reason: 'the usual folders of a built site' };
}

function portOf({ framework, port }: Declared): Choice<number> {
  if (port !== null) return { value: port, reason: 'platform.io/port declares it' };
  return { value: DEFAULT_PORTS[framework], reason: 'the default; the app is told it in PORT' };
}
