import type { z } from 'zod';
import type { Catalog, ParsedCatalog } from '../../domain/catalog/catalog.ts';
import { inferCatalog } from '../../domain/catalog/infer-catalog.ts';
import { mergeInferred, parseCatalog } from '../../domain/catalog/parse-catalog.ts';
import { effectivePaths, type PathFacts, parsePlatformConfig } from '../../domain/catalog/parse-platform-config.ts';
import type { EffectiveVariables } from '../../domain/config/service-variables.ts';
import { usualVariables } from '../../domain/databases/engines.ts';
import type { NamedContainerFile } from '../../domain/deploys/app/choose-container-file.ts';
import { conventionViolations } from '../../domain/deploys/conventions.ts';
import { missingConfig, settingMissing } from '../../domain/deploys/missing-config.ts';
import { planDeploy } from '../../domain/deploys/plan.ts';
import type { planBodySchema, planReplySchema } from '../../domain/deploys/plan-schema.ts';
import { differencesOf, RUNTIME_CAPABILITIES } from '../../domain/deploys/runtime-capabilities.ts';
import type { Installation } from '../../domain/deploys/step-definition.ts';
import { planContainerFile, planMonorepo, planSource } from './plan-container-file.ts';

export interface PlanOptions {
  readonly enforceMinimumVersion: boolean;
  readonly installation: Installation;
  /** Of the service in the environment; none of one that is not here yet. */
  readonly variables: EffectiveVariables;
  /** What it says of the places in its source. */
  readonly record: PathFacts['serviceRecord'];
}

export const NOTHING_RECORDED: PlanOptions['record'] = { appPath: null, dockerfilePath: null };

/**
 * What a deploy of these files would do, without doing it.
 * @throws CATALOG_INVALID, CATALOG_VERSION_UNSUPPORTED, PLATFORM_CONFIG_INVALID
 */
export function planBuild(
  body: z.output<typeof planBodySchema>,
  options: PlanOptions,
): z.input<typeof planReplySchema> {
  const { catalog, warnings } = readCatalog(body, options);
  const context = {
    kind: 'deploy',
    fromStep: null,
    done: null,
    catalog,
    facts: { catalog },
    installation: options.installation,
  } as const;
  const steps = planDeploy(context).map(({ run: _run, ...shown }) => shown);
  const source = planSource(body);
  const named = namedContainerFile(body, options.record);
  const { found, warnings: ofSource } =
    source === null
      ? { found: [], warnings: [] }
      : planContainerFile({ source, catalog, monorepo: planMonorepo(body), named });
  const misnamed =
    body.service !== undefined && catalog.declared && catalog.name !== null && catalog.name !== body.service;
  return {
    service: body.service ?? catalog.name,
    environment: body.environment,
    framework: catalog.framework,
    podTier: catalog.podTier,
    healthEndpoint: catalog.healthEndpoint,
    healthRule: catalog.healthDeclared ? 'declared' : 'alive',
    port: catalog.port,
    found: found.map((finding) => ({ ...finding })),
    steps,
    ...runtimeOf(options.installation),
    warnings: [
      ...warnings,
      ...ofSource,
      ...conventionViolations(catalog, body.catalog ?? null).map(({ level, message }) =>
        level === 'block' ? `This ends a deploy: ${message}` : message,
      ),
      ...withoutValue(catalog, options.variables, body.service ?? catalog.name),
      ...(misnamed ? [`metadata.name is ${catalog.name}, not ${body.service}`] : []),
    ],
  };
}

/** The container engine is what there is by default: of another runtime it is said what it does otherwise. */
function runtimeOf({ runtime: name }: Installation): Pick<z.input<typeof planReplySchema>, 'runtime'> {
  if (name === 'docker') return {};
  return { runtime: { name, differences: [...differencesOf(RUNTIME_CAPABILITIES[name])] } };
}

/** The container file that the record or `.platform.yaml` names, by the rules of a build; null where neither names one. */
function namedContainerFile(
  { appPath, platformConfig, containerFiles }: z.output<typeof planBodySchema>,
  record: PlanOptions['record'],
): NamedContainerFile | null {
  const { dockerfile } = effectivePaths({
    serviceRecord: { ...record, ...(appPath === undefined ? {} : { appPath }) },
    platformConfig: platformConfig === undefined ? null : parsePlatformConfig(platformConfig),
  });
  if (dockerfile === null) return null;
  // A command line of before sends none.
  return { path: dockerfile, exists: containerFiles?.includes(dockerfile) ?? true };
}

/** The servers of databases are the workers' to know: one that the catalog declares counts as there. */
function withoutValue(catalog: Catalog, variables: EffectiveVariables, service: string | null): readonly string[] {
  const missing = missingConfig(catalog, variables, catalog.databases.flatMap(usualVariables));
  if (missing.length === 0) return [];
  const names = missing.map(({ key }) => key).join(', ');
  const setting = service === null ? '' : ` ${settingMissing(missing, service)}`;
  return [`This ends a deploy that does not set it: no value of ${names}.${setting}`];
}

function readCatalog(
  body: z.output<typeof planBodySchema>,
  options: { enforceMinimumVersion: boolean },
): ParsedCatalog {
  const inferred = inferCatalog({ manifest: body.manifest ?? null, files: body.files ?? [] });
  if (body.catalog !== undefined) return mergeInferred(parseCatalog(body.catalog, options), inferred);
  // Of a source that nobody looked at, such as a repository that the command line cannot read, nothing is known to be missing.
  const isKnown = body.manifest !== undefined || (body.files ?? []).length > 0;
  return isKnown ? inferred : { ...inferred, warnings: [] };
}
