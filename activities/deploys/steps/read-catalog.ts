import { MANIFEST, readAppSource } from '../../../domain/catalog/app-source.ts';
import type { Catalog, ParsedCatalog } from '../../../domain/catalog/catalog.ts';
import { inferCatalog } from '../../../domain/catalog/infer-catalog.ts';
import { mergeInferred, parseCatalog } from '../../../domain/catalog/parse-catalog.ts';
import { effectivePaths, parsePlatformConfig } from '../../../domain/catalog/parse-platform-config.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { findService } from '../service-lookup.ts';
import { sourceTree } from '../source-tree.ts';
import type { StepContext } from '../step.ts';

const FILE_LIMIT_BYTES = 64 * 1024;
/** `.platform.yaml` is looked for in the root, then in the app path of the service record (spec 2, step 2). */
const PLATFORM_CONFIG = '.platform.yaml';
const CATALOG = 'catalog-info.yaml';

type Deps = Pick<DeploysDeps, 'services' | 'workspace'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'enforceMinimumCatalogVersion'>;
};

/**
 * Reads `.platform.yaml` and the catalog, or infers what a missing catalog would say (spec 2, steps 2 and 3). Reads only.
 */
export async function readCatalog(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build } = context;
  const service = await findService(deps, build);
  const read = (path: string) => deps.workspace.readText(build.buildId, path, FILE_LIMIT_BYTES);

  const platformText = (await read(PLATFORM_CONFIG)) ?? (await read(inside(service.appPath ?? '', PLATFORM_CONFIG)));
  const platformConfig = platformText === null ? null : parsePlatformConfig(platformText);
  const paths = effectivePaths({ serviceRecord: service, platformConfig });

  const { files, texts } = await readAppSource(sourceTree(deps.workspace, build.buildId, paths.appPath));
  const inferred = inferCatalog({ manifest: texts[MANIFEST] ?? null, files });
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

function requireSameName(catalog: Catalog, service: string): void {
  if (!catalog.declared || catalog.name === null || catalog.name === service) return;
  const message = `${CATALOG} names the service ${catalog.name}, but this build is for ${service}: correct metadata.name or deploy the service of that name.`;
  throw new FairleadError('CATALOG_INVALID', message, { details: { field: 'metadata.name' } });
}

const inside = (directory: string, name: string) => (directory === '' ? name : `${directory}/${name}`);
