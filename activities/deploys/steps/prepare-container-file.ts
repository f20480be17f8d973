import { type AppSource, MANIFEST, readAppSource } from '../../../domain/catalog/app-source.ts';
import type { Catalog } from '../../../domain/catalog/catalog.ts';
import { findMonorepo } from '../../../domain/catalog/find-monorepo.ts';
import { exampleVariables } from '../../../domain/catalog/variables-file.ts';
import type { AppDescription } from '../../../domain/deploys/app/app-description.ts';
import { appFindings } from '../../../domain/deploys/app/app-findings.ts';
import { chooseContainerFile, OWN_CONTAINER_FILE } from '../../../domain/deploys/app/choose-container-file.ts';
import { describeApp } from '../../../domain/deploys/app/describe-app.ts';
import { sourceHints } from '../../../domain/deploys/app/source-hints.ts';
import { checkSources, type SourcePolicy } from '../../../domain/deploys/container-file/check-sources.ts';
import { checkUser } from '../../../domain/deploys/container-file/check-user.ts';
import {
  type ContextFile,
  GENERATED_CONTAINER_FILE,
  generateContainerFile,
} from '../../../domain/deploys/container-file/generate-container-file.ts';
import { mountBuildEnv } from '../../../domain/deploys/container-file/mount-build-env.ts';
import { LOCKFILE_FOLDER } from '../../../domain/deploys/container-file/new-lockfile.ts';
import { patchContainerFile } from '../../../domain/deploys/container-file/patch-container-file.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { imageRepository } from '../../../domain/deploys/image-repository.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type BuildEnv, buildEnvOf } from '../build-env.ts';
import type { DeploysDeps } from '../deps.ts';
import { sourceTree } from '../source-tree.ts';
import { requireFacts, type StepContext } from '../step.ts';

const FILE_LIMIT_BYTES = 256 * 1024;
const DEFAULT_PORT = 3000;

type Deps = Pick<DeploysDeps, 'services' | 'workspace' | 'cipher'> & {
  readonly images: Pick<DeploysDeps['images'], 'mounts'>;
  readonly settings: Pick<DeploysDeps['settings'], 'registry' | 'autoContainerFile' | 'secretsEnabled'>;
};

/** A container file ready to build, whichever way it came to be. Paths are relative to the build context. */
interface Prepared {
  /** The build context inside the source: the app's folder, or that of the monorepo which the app is a package of. */
  readonly buildContext: string;
  /** The app's folder, relative to the build context. */
  readonly appFolder: string;
  readonly files: readonly ContextFile[];
  readonly dockerfile: string;
  readonly port: number;
  readonly generated: boolean;
  /** The repository's own, in whose place it was generated. */
  readonly unused: string | null;
  /** Build-time variables that it mounts each by itself. */
  readonly registryVariables: readonly string[];
  /** Path in the image of the lockfile that the install writes; null for none. */
  readonly newLockfile: string | null;
}

/**
 * Generates the container file or patches an explicit one, refuses one that would run as root, and writes the
 * build-time env file (spec 2, steps 4 and 5). Idempotent: files of the workspace are written anew with the same content.
 */
export async function prepareContainerFile(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build } = context;
  const known = requireFacts(context.facts, ['catalog', 'contextPath']);
  const source = await readAppSource(sourceTree(deps.workspace, build.buildId, known.contextPath));
  const buildEnv = await buildEnvOf(deps, build, known.catalog);
  const prepared = await decide(deps, context, source, buildEnv);
  const place = (path: string) => inside(prepared.buildContext, path);
  const example = exampleVariables(source.variables ?? {});
  const [containerFile, ...others] = prepared.files;
  if (containerFile === undefined) throw new FairleadError('INTERNAL', 'No container file was prepared.');
  const written =
    buildEnv === null
      ? containerFile
      : withBuildEnv(containerFile, { ...buildEnv, folder: prepared.appFolder }, context);
  for (const file of [written, ...others]) {
    await deps.workspace.write(build.buildId, place(file.path), file.text, file.mode);
  }
  const user = checkUser(containerFile.text, { framework: known.catalog.framework, fileName: containerFile.path });
  context.onLine(`The image runs as user ${user ?? 'of its base image'}`);
  return {
    dockerfile: place(prepared.dockerfile),
    ...(prepared.buildContext === known.contextPath ? {} : { monorepoPath: prepared.buildContext }),
    generatedContainerFile: prepared.generated,
    ...(prepared.unused === null ? {} : { unusedContainerFile: prepared.unused }),
    port: prepared.port,
    imageTag: imageTag(deps.settings.registry, context),
    ...(buildEnv === null ? {} : { buildEnvId: buildEnv.id }),
    ...(prepared.registryVariables.length === 0 ? {} : { registryVariables: [...prepared.registryVariables] }),
    ...(prepared.newLockfile === null ? {} : { newLockfile: prepared.newLockfile }),
    ...(example === null ? {} : { exampleVariables: { file: example.file, names: [...example.names] } }),
  };
}

async function decide(
  deps: Deps,
  context: StepContext,
  source: AppSource,
  buildEnv: BuildEnv | null,
): Promise<Prepared> {
  const { workspace, settings } = deps;
  const { catalog, contextPath } = requireFacts(context.facts, ['catalog', 'contextPath']);
  const place = (path: string) => inside(contextPath, path);
  const { buildId } = context.build;
  const read = (path: string) => workspace.readText(buildId, path, FILE_LIMIT_BYTES);
  const named = context.facts.dockerfile ?? null;
  const namedText = named === null ? null : await read(named);
  const ownText = await read(place(OWN_CONTAINER_FILE));
  const monorepo = await findMonorepo(sourceTree(workspace, buildId, ''), contextPath);
  const choice = chooseContainerFile({
    framework: catalog.framework,
    named: named === null ? null : { path: named, exists: namedText !== null },
    hasOwn: ownText !== null,
    hasManifest: source.texts[MANIFEST] !== undefined,
    mayGenerate: settings.autoContainerFile,
    describe: () => describeApp(source, catalog, monorepo),
  });
  for (const warning of choice.warnings) context.warn(warning);
  for (const hint of sourceHints(source)) context.onLine(hint);
  const ofApp = { buildContext: contextPath, appFolder: '' };
  if (choice.app !== null) {
    const isMember = choice.app.workspace !== null && monorepo !== null;
    const where = isMember ? { buildContext: monorepo.folder, appFolder: monorepo.app } : ofApp;
    return { ...generate(deps, context, choice.app, buildEnv), unused: choice.unused, ...where };
  }
  const isNamed = choice.path === named;
  const fileName = isNamed ? choice.path : place(choice.path);
  return { ...patch(deps, context, catalog, fileName, (isNamed ? namedText : ownText) ?? ''), unused: null, ...ofApp };
}

type ContainerFiles = Omit<Prepared, 'buildContext' | 'appFolder' | 'unused'>;

function patch(deps: Deps, context: StepContext, catalog: Catalog, fileName: string, text: string): ContainerFiles {
  const checked = checkSources(text, sourcePolicy(deps, context, fileName));
  const patched = patchContainerFile(checked.text, { secretsEnabled: deps.settings.secretsEnabled, fileName });
  context.onLine(`Using ${fileName}`);
  for (const change of [...checked.changes, ...patched.changes]) context.onLine(change);
  for (const warning of patched.warnings) context.warn(warning);
  // Checked by its own name, so that a message leads to the file its author knows.
  checkUser(patched.text, { framework: catalog.framework, fileName });
  return {
    files: [{ path: GENERATED_CONTAINER_FILE, text: patched.text }, ...patched.extraFiles],
    dockerfile: GENERATED_CONTAINER_FILE,
    port: catalog.port ?? patched.port ?? DEFAULT_PORT,
    generated: false,
    registryVariables: [],
    newLockfile: null,
  };
}

/** Words of the repository stand in it, so it is checked like one that the repository brings. */
function generate(deps: Deps, context: StepContext, app: AppDescription, buildEnv: BuildEnv | null): ContainerFiles {
  const registrySecrets = app.registryVariables.flatMap((name) => {
    const id = buildEnv?.ids[name];
    return id === undefined ? [] : [{ name, id }];
  });
  const generated = generateContainerFile(app, {
    secretsEnabled: deps.settings.secretsEnabled,
    cacheMounts: deps.images.mounts,
    registrySecrets,
  });
  const policy = sourcePolicy(deps, context, 'the generated container file');
  const files = generated.files.map((file) =>
    file.path === generated.dockerfile ? { ...file, text: checkSources(file.text, policy).text } : file,
  );
  const what = app.framework ?? 'a Node.js server';
  context.onLine(`Generated a container file for ${what}; it runs on ${app.runsOn}`);
  for (const { title, value, reason } of appFindings(app)) context.onLine(`${title}: ${value} (${reason})`);
  for (const warning of app.warnings) context.warn(warning);
  const registryVariables = registrySecrets.map(({ name }) => name);
  const missing = app.registryVariables.filter((name) => !registryVariables.includes(name));
  if (missing.length > 0) context.warn(missingForRegistry(missing));
  const newLockfile = app.newLockfile === null ? null : `${LOCKFILE_FOLDER}/${app.newLockfile}`;
  return { ...generated, files, port: app.port.value, generated: true, registryVariables, newLockfile };
}

function missingForRegistry(names: readonly string[]): string {
  const what = names.length === 1 ? `${names[0]} is` : `${names.join(', ')} are`;
  return `${what} named in the settings of the package manager, and not among the build-time variables: name them in platform.io/env-vars in catalog-info.yaml, and set them with --secret`;
}

function withBuildEnv(
  containerFile: ContextFile,
  { id, names, folder }: BuildEnv & { readonly folder: string },
  context: StepContext,
): ContextFile {
  const { text, mounts } = mountBuildEnv(containerFile.text, id, folder);
  context.onLine(`Build-time variables: ${names.join(', ')}`);
  if (mounts === 0) {
    context.warn('No RUN instruction after a copy of the whole build context (COPY . .) sees the build-time variables');
  }
  return { ...containerFile, text };
}

/**
 * By the service's id, since its name may be somebody else's one day. Caches are those of one environment: whoever may
 * deploy to another one could leave something in them.
 */
function sourcePolicy(deps: Deps, { build }: StepContext, fileName: string): SourcePolicy {
  const { registry } = deps.settings;
  return {
    registry,
    repository: repositoryOf(registry, build),
    cacheScope: `${build.serviceId}/${build.environment}`,
    fileName,
  };
}

/** One tag for each build, so that no build's image is replaced by another's. */
function imageTag(registry: string, { build, facts }: StepContext): string {
  const revision = facts.commitSha?.slice(0, 7) ?? 'upload';
  return `${repositoryOf(registry, build)}:${build.environment}-${revision}-${build.buildId.split('_').at(-1)}`;
}

function repositoryOf(registry: string, { service, serviceId }: StepContext['build']): string {
  return imageRepository(registry, { name: service, id: serviceId });
}

function inside(directory: string, name: string): string {
  if (directory === '') return name;
  return name === '' ? directory : `${directory}/${name}`;
}
