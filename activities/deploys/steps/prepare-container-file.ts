import { readAppSource } from '../../../domain/catalog/app-source.ts';
import type { Catalog } from '../../../domain/catalog/catalog.ts';
import { describeApp } from '../../../domain/deploys/app/describe-app.ts';
import { checkSources } from '../../../domain/deploys/container-file/check-sources.ts';
import { checkUser } from '../../../domain/deploys/container-file/check-user.ts';
import {
  type ContextFile,
  GENERATED_CONTAINER_FILE,
  generateContainerFile,
} from '../../../domain/deploys/container-file/generate-container-file.ts';
import { mountBuildEnv } from '../../../domain/deploys/container-file/mount-build-env.ts';
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
const DEFAULT_CONTAINER_FILE = 'Dockerfile';

type Deps = Pick<DeploysDeps, 'services' | 'workspace' | 'cipher'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'registry' | 'autoContainerFile' | 'secretsEnabled'>;
};

/** A container file ready to build, whichever way it came to be. Paths are relative to the build context. */
interface Prepared {
  readonly files: readonly ContextFile[];
  readonly dockerfile: string;
  readonly port: number;
  readonly generated: boolean;
}

/**
 * Generates the container file or patches an explicit one, refuses one that would run as root, and writes the
 * build-time env file (spec 2, steps 4 and 5). Idempotent: files of the workspace are written anew with the same content.
 */
export async function prepareContainerFile(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build } = context;
  const known = requireFacts(context.facts, ['catalog', 'contextPath']);
  const place = (path: string) => inside(known.contextPath, path);
  const prepared = await decide(deps, context, known.catalog, place);
  const buildEnv = await buildEnvOf(deps, build, known.catalog);
  const [containerFile, ...others] = prepared.files;
  if (containerFile === undefined) throw new FairleadError('INTERNAL', 'No container file was prepared.');
  const written = buildEnv === null ? containerFile : withBuildEnv(containerFile, buildEnv, context);
  for (const file of [written, ...others]) {
    await deps.workspace.write(build.buildId, place(file.path), file.text, file.mode);
  }
  const user = checkUser(containerFile.text, { framework: known.catalog.framework, fileName: containerFile.path });
  context.onLine(`The image runs as user ${user ?? 'of its base image'}`);
  return {
    dockerfile: place(prepared.dockerfile),
    generatedContainerFile: prepared.generated,
    port: prepared.port,
    imageTag: imageTag(deps.settings.registry, context),
    ...(buildEnv === null ? {} : { buildEnvId: buildEnv.id }),
  };
}

async function decide(
  deps: Deps,
  context: StepContext,
  catalog: Catalog,
  place: (path: string) => string,
): Promise<Prepared> {
  const { buildId } = context.build;
  const explicit = context.facts.dockerfile ?? null;
  if (explicit !== null) {
    const text = await deps.workspace.readText(buildId, explicit, FILE_LIMIT_BYTES);
    if (text !== null) return patch(deps, context, catalog, explicit, text);
    context.warn(`${explicit} does not exist; falling back to a generated container file`);
  }
  const own = await deps.workspace.readText(buildId, place(DEFAULT_CONTAINER_FILE), FILE_LIMIT_BYTES);
  if (deps.settings.autoContainerFile && catalog.framework !== null) {
    if (own !== null) {
      context.warn(
        `Dockerfile is not used, one for ${catalog.framework} is generated; to use it, name it in platform.io/dockerfile in catalog-info.yaml`,
      );
    }
    return await generate(deps, context, catalog, place);
  }
  if (own !== null) return patch(deps, context, catalog, place(DEFAULT_CONTAINER_FILE), own);
  throw new FairleadError(
    'CONTAINER_FILE_MISSING',
    'There is no Dockerfile, and the framework is unknown: add a Dockerfile, or name the framework in platform.io/framework (express, fastify, hono, nextjs or static).',
  );
}

function patch(deps: Deps, context: StepContext, catalog: Catalog, fileName: string, text: string): Prepared {
  const { build } = context;
  // By the service's id, since its name may be somebody else's one day.
  const { registry } = deps.settings;
  const repository = repositoryOf(registry, build);
  const policy = { registry, repository, cacheScope: build.serviceId, fileName };
  const checked = checkSources(text, policy);
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
  };
}

async function generate(
  deps: Deps,
  context: StepContext,
  catalog: Catalog,
  place: (path: string) => string,
): Promise<Prepared> {
  const { buildId } = context.build;
  if (catalog.framework === null)
    throw new FairleadError('INTERNAL', 'A framework is needed to generate a container file.');
  const source = await readAppSource(sourceTree(deps.workspace, buildId, place('')));
  const { framework, port, healthEndpoint } = catalog;
  const app = describeApp(source, { framework, port, healthEndpoint });
  const generated = generateContainerFile(app, { secretsEnabled: deps.settings.secretsEnabled });
  context.onLine(`Generated a container file for ${framework}; it runs on ${app.runsOn}`);
  for (const warning of app.warnings) context.warn(warning);
  return { ...generated, port: app.port.value, generated: true };
}

function withBuildEnv(containerFile: ContextFile, { id, names }: BuildEnv, context: StepContext): ContextFile {
  const { text, mounts } = mountBuildEnv(containerFile.text, id);
  context.onLine(`Build-time variables: ${names.join(', ')}`);
  if (mounts === 0) {
    context.warn('No RUN instruction after a copy of the whole build context (COPY . .) sees the build-time variables');
  }
  return { ...containerFile, text };
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
