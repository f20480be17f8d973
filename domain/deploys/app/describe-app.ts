import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import type { Framework } from '../../catalog/catalog.ts';
import type { Monorepo } from '../../catalog/find-monorepo.ts';
import { type Manifest, readManifest } from '../../catalog/read-manifest.ts';
import { siteGenerator } from '../../catalog/site-generators.ts';
import { SETTINGS_FILE } from '../../catalog/variables-file.ts';
import { FairleadError } from '../../errors.ts';
import { BASE_IMAGES } from '../container-file/base-images.ts';
import { bunVersion, NEW_LOCKFILE, type PackageManager } from '../container-file/detect-package-manager.ts';
import type { InstallCommands } from '../container-file/install-commands.ts';
import { adapterChoice } from './adapter-choice.ts';
import type { AppDescription, Choice } from './app-description.ts';
import { buildCommand } from './build-command.ts';
import { isStartedByBun } from './bun-start.ts';
import { frameworkPackage, frameworkVersion } from './framework-packages.ts';
import { installHooks } from './install-hooks.ts';
import { keptPackages } from './kept-packages.ts';
import { legacyOpenssl } from './legacy-openssl.ts';
import {
  downloadsFileServer,
  isUsualStart,
  type NextjsSettings,
  neededBySettings,
  nextjsSettings,
  nextjsSite,
} from './nextjs-app.ts';
import { withPrismaClient } from './prisma-generate.ts';
import { refuseWorkersOnly } from './refuse-workers-only.ts';
import { settingsFile } from './settings-file.ts';
import { type Start, startCommand, statedStart } from './start-command.ts';
import { siteBuild, staticSite } from './static-site.ts';
import { partOfPackages, surroundings, withoutPackages } from './surroundings.ts';
import { toolCaches } from './tool-caches.ts';
import type { Workspace } from './workspace.ts';
import { workspaceBuild } from './workspace-build.ts';

/** What the catalog declares of an app; null where it declares nothing. */
export interface Declared {
  readonly framework: Framework | null;
  /** `platform.io/port` */
  readonly port: number | null;
  readonly healthEndpoint: string;
  /** `platform.io/node-version` */
  readonly nodeVersion?: string | null;
  /** `platform.io/package-manager` */
  readonly packageManager?: string | null;
  /** `platform.io/install-command` */
  readonly installCommand?: string | null;
  /** `platform.io/build-command` */
  readonly buildCommand?: string | null;
  /** `platform.io/start-command` */
  readonly startCommand?: string | null;
  /** `platform.io/output-folder` */
  readonly outputFolder?: string | null;
}

const SERVER_PORT = 3000;
const SITE_PORT = 8080;

/** Servers that listen on the loopback interface alone unless a variable of their own says otherwise. */
const LISTEN_VARIABLES: readonly (readonly [string, string])[] = [['fastify-cli', 'FASTIFY_ADDRESS']];
/** What many frameworks and apps read for the address they listen on, and take localhost without. */
const HOST = 'HOST';

/**
 * How an app is built and started, from its source alone (spec 2, step 4). Pure: none of the source is run. Of a package of
 * a monorepo the packages are those that the monorepo's lockfile names, and what it needs of the monorepo is built first.
 *
 * @throws CONTAINER_FILE_INVALID when the manifest is missing or says no way to start the app.
 */
export function describeApp(source: AppSource, declared: Declared, monorepo: Monorepo | null = null): AppDescription {
  const { framework } = declared;
  const text = source.texts[MANIFEST] ?? null;
  if (text === null && framework !== 'static') throw withoutManifest(framework);
  const warnings: string[] = [];
  const manifest = readManifest(text, warnings);
  refuseWorkersOnly(framework, manifest, source, declared.startCommand ?? null);
  const ofNode: string[] = [];
  const around = surroundings({ source, manifest, monorepo, declared }, ofNode);
  const { manager, commands, node } = around;
  const { start, build: ownBuild, ...shape } = shapeOf({ source, declared, manifest, commands });
  const generated = declared.buildCommand == null ? withPrismaClient(ownBuild, manifest, source) : ownBuild;
  const build = workspaceBuild({ ...around, declared: declared.buildCommand ?? null, own: generated });
  // A site that is served as it is installs nothing, so packages and Node.js are no concern of its owner.
  const usesNode = start !== null || build !== null;
  if (usesNode) warnings.push(...ofNode);
  warnings.push(...(start?.warnings ?? []));
  const hooks = installHooks(around.installed);
  const kept = keptPackages(start?.commands ?? [], manifest, neededAtRunTime(framework, source, shape.nextFolder));
  const settings = settingsFile(source);
  const openssl = legacyOpenssl(build, manifest, around.lockSource, warnings);
  if (usesNode) warnings.push(...settings.warnings);
  return {
    framework,
    frameworkReason: frameworkReason(framework, manifest),
    frameworkVersion: frameworkVersion(framework, manifest, around.lockSource),
    manager,
    commands,
    nodeImage: { value: node.image, reason: node.reason },
    ...(usesNode ? partOfPackages(around, manifest) : withoutPackages(source)),
    install: usesNode
      ? installOf(declared, manager.lockfile, commands, build !== null || hooks.needsAll || kept.value)
      : null,
    installsFromSource:
      declared.installCommand == null
        ? hooks.needsSource
        : { value: true, reason: 'platform.io/install-command may need it' },
    build,
    caches: toolCaches(manifest, source, build),
    ...shape,
    start: startIn(around.workspace, start),
    port: portOf(declared, start),
    keepsDevelopment: kept,
    buildEnvironment: { ...openssl, ...adapterChoice(manifest) },
    environment: environmentOf(manifest, source),
    runsOn: start === null ? BASE_IMAGES.nginx : node.image,
    bun: bunOf(start, manager),
    newLockfile: usesNode && manager.lockfile === null ? NEW_LOCKFILE[manager.name] : null,
    keepsSettingsFile: settings.isKept,
    healthEndpoint: declared.healthEndpoint,
    warnings,
  };
}

function bunOf(start: Start | null, manager: PackageManager): string | null {
  return start !== null && isStartedByBun(start.command.value.join(' ')) ? bunVersion(manager) : null;
}

/** The script that starts what a Next.js build made lies in the app's folder. */
function startIn(workspace: Workspace | null, start: Start | null): Choice<readonly string[]> | null {
  if (start === null || workspace === null) return start?.command ?? null;
  const { value, reason } = start.command;
  return {
    value: value.map((word) => (word === '/app/start.sh' ? `/app/${workspace.app.folder}/start.sh` : word)),
    reason,
  };
}

/** Packages without which a server does not start, whatever its start command is. */
function neededAtRunTime(framework: Framework | null, source: AppSource, nextFolder: string | null): readonly string[] {
  // What a Next.js app loads is part of what its build makes.
  const loaded = nextFolder === null ? (source.loaded ?? []) : neededBySettings(source);
  const own = frameworkPackage(framework);
  return own === null ? loaded : [own, ...loaded];
}

interface ShapeFacts {
  readonly source: AppSource;
  readonly declared: Declared;
  readonly manifest: Manifest;
  readonly commands: InstallCommands;
}

/** What differs between a server, a Next.js app and a site. */
interface Shape extends Pick<AppDescription, 'build' | 'nextFolder' | 'nextStarts' | 'site'> {
  readonly start: Start | null;
}

function shapeOf(facts: ShapeFacts): Shape {
  const { framework, startCommand: stated = null } = facts.declared;
  if (framework === 'static' && stated === null) return siteShape(facts);
  return framework === 'nextjs' ? nextjsShape(facts) : serverShape(facts);
}

function serverShape({ source, declared, manifest, commands }: ShapeFacts): Shape {
  const start = startCommand(manifest, source, declared.startCommand ?? null);
  const usual = declared.framework === 'static' ? siteBuild(manifest, commands.run) : null;
  const build = buildCommand({ ...buildFacts({ source, declared, manifest, commands }), usual, start });
  return { start, build, site: null, nextFolder: null, nextStarts: false };
}

function siteShape(facts: ShapeFacts): Shape {
  const { source, declared, manifest } = facts;
  const build = buildCommand({ ...buildFacts(facts), usual: siteBuild(manifest, facts.commands.run), start: null });
  const site = staticSite({ manifest, source, declared: declared.outputFolder ?? null, isBuilt: build !== null });
  return { start: null, build, site, nextFolder: null, nextStarts: false };
}

function nextjsShape(facts: ShapeFacts): Shape {
  const { source, declared, manifest } = facts;
  const settings = nextjsSettings(manifest, source);
  const stated = statedStart(manifest, source, declared.startCommand ?? null);
  const own = stated === null ? null : startCommand(manifest, source, declared.startCommand ?? null);
  const usual = { value: 'next build', reason: 'Next.js apps are built, and package.json has no build script' };
  const build = buildCommand({ ...buildFacts(facts), usual, start: own });
  const isReplaced = own !== null && settings.output === 'export' && downloadsFileServer(own, manifest);
  const isOwn = own !== null && !isUsualStart(own) && !isReplaced;
  if (isOwn) return { start: own, build, site: null, nextFolder: settings.distDir, nextStarts: false };
  if (settings.output === 'export') {
    const site = nextjsSite(settings, declared.outputFolder ?? null);
    return { start: null, build, site, nextFolder: null, nextStarts: false };
  }
  return { start: nextjsStart(settings), build, site: null, nextFolder: settings.distDir, nextStarts: true };
}

function nextjsStart({ reason }: NextjsSettings): Start {
  const commands = [{ text: 'next start', words: ['next', 'start'], joint: null }];
  return { command: { value: ['/bin/sh', '/app/start.sh'], reason }, commands, builds: [], warnings: [] };
}

function buildFacts({ source, declared, manifest, commands }: ShapeFacts) {
  return { manifest, source, declared: declared.buildCommand ?? null, run: commands.run };
}

function installOf(
  { installCommand = null }: Declared,
  lockfile: string | null,
  commands: InstallCommands,
  needsAll: boolean,
): Choice<string> {
  if (installCommand !== null) return { value: installCommand, reason: 'platform.io/install-command declares it' };
  const reason = lockfile === null ? 'there is no lockfile' : `there is ${lockfile}`;
  return { value: needsAll ? commands.installAll : commands.installProduction, reason };
}

function portOf({ port }: Declared, start: Start | null): Choice<number> {
  if (port !== null) return { value: port, reason: 'platform.io/port declares it' };
  if (start === null) return { value: SITE_PORT, reason: 'the web server listens on it' };
  return { value: SERVER_PORT, reason: 'the default; the app is told it in PORT' };
}

function frameworkReason(framework: Framework | null, { dependencies }: Manifest): string {
  if (framework === null) return 'no package of one is in package.json';
  const found = frameworkPackage(framework) ?? siteGenerator(dependencies)?.package;
  if (found !== undefined && dependencies.has(found)) return `${found} is in package.json`;
  return framework === 'static' ? 'its files are a site' : 'platform.io/framework declares it';
}

/** An app whose settings name HOST says itself what it means by it. */
function environmentOf({ dependencies }: Manifest, { variables = {} }: AppSource): Readonly<Record<string, string>> {
  const isOwn = variables[SETTINGS_FILE]?.names.includes(HOST) === true;
  const needed = LISTEN_VARIABLES.filter(([name]) => dependencies.has(name)).map(([, variable]) => variable);
  return Object.fromEntries([...(isOwn ? [] : [HOST]), ...needed].map((variable) => [variable, '0.0.0.0']));
}

function withoutManifest(framework: Framework | null): FairleadError {
  const what = framework === null ? 'an app without a Dockerfile' : `a ${framework} app`;
  const remedy = 'add one, or name a container file of your own';
  return new FairleadError('CONTAINER_FILE_INVALID', `${what} needs a package.json in its build context; ${remedy}`);
}
