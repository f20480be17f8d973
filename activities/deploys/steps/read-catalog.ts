import type { Catalog, ParsedCatalog } from '../../../domain/catalog/catalog.ts';
import { inferCatalog } from '../../../domain/catalog/infer-catalog.ts';
import { mergeInferred, parseCatalog } from '../../../domain/catalog/parse-catalog.ts';
import { effectivePaths, parsePlatformConfig } from '../../../domain/catalog/parse-platform-config.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { findService } from '../service-lookup.ts';
import type { StepContext } from '../step.ts';

const FILE_LIMIT_BYTES = 64 * 1024;
const MANIFEST_LIMIT_BYTES = 1024 * 1024;
/** `.platform.yaml` is looked for in the root, then in the app path of the service record (spec 2, step 2). */
const PLATFORM_CONFIG = '.platform.yaml';
const CATALOG = 'catalog-info.yaml';
/** Directories whose index.html tells a static site. */
const STATIC_DIRECTORIES = ['public', 'dist'];

type Deps = Pick<DeploysDeps, 'services' | 'workspace'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'enforceMinimumCatalogVersion'>;
};

/**
 * Reads `.platform.yaml` and the catalog, or infers what a missing catalog would say (spec 2, steps 2 and 3). Reads only.
 */
export async function readCatalog(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build } = context;
  const service = await findService(deps, build);
  const read = (path: string, limit = FILE_LIMIT_BYTES) => deps.workspace.readText(build.buildId, path, limit);

  const platformText = (await read(PLATFORM_CONFIG)) ?? (await read(inside(service.appPath ?? '', PLATFORM_CONFIG)));
  const platformConfig = platformText === null ? null : parsePlatformConfig(platformText);
  const paths = effectivePaths({ serviceRecord: service, platformConfig });

  const inferred = inferCatalog({
    manifest: await read(inside(paths.appPath, 'package.json'), MANIFEST_LIMIT_BYTES),
    files: await listWithIndexes(deps, build.buildId, paths.appPath),
  });
  const text = await read(inside(paths.appPath, CATALOG));
  const { catalog, warnings } = text === null ? inferred : parseAndMerge(deps, text, inferred);
  for (const warning of warnings) context.warn(warning);
  requireSameName(catalog, service.name);
  return { catalog, ...paths, dockerfile: catalogDockerfile(catalog, paths.appPath) ?? paths.dockerfile };
}

function parseAndMerge(deps: Deps, text: string, inferred: ParsedCatalog): ParsedCatalog {
  const parsed = parseCatalog(text, { enforceMinimumVersion: deps.settings.enforceMinimumCatalogVersion });
  return mergeInferred(parsed, inferred);
}

function catalogDockerfile(catalog: Catalog, appPath: string): string | null {
  return catalog.dockerfile === null ? null : inside(appPath, catalog.dockerfile);
}

async function listWithIndexes(deps: Deps, buildId: string, appPath: string): Promise<string[]> {
  const files = [...(await deps.workspace.list(buildId, appPath))];
  for (const directory of STATIC_DIRECTORIES.filter((name) => files.includes(name))) {
    const names = await deps.workspace.list(buildId, inside(appPath, directory));
    files.push(...names.map((name) => `${directory}/${name}`));
  }
  return files;
}

function requireSameName(catalog: Catalog, service: string): void {
  if (!catalog.declared || catalog.name === null || catalog.name === service) return;
  const message = `${CATALOG} names the service ${catalog.name}, but this build is for ${service}: correct metadata.name or deploy the service of that name.`;
  throw new FairleadError('CATALOG_INVALID', message, { details: { field: 'metadata.name' } });
}

const inside = (directory: string, name: string) => (directory === '' ? name : `${directory}/${name}`);
