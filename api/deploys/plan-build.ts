import type { z } from 'zod';
import type { ParsedCatalog } from '../../domain/catalog/catalog.ts';
import { inferCatalog } from '../../domain/catalog/infer-catalog.ts';
import { mergeInferred, parseCatalog } from '../../domain/catalog/parse-catalog.ts';
import { conventionViolations } from '../../domain/deploys/conventions.ts';
import { planDeploy } from '../../domain/deploys/plan.ts';
import type { planBodySchema, planReplySchema } from '../../domain/deploys/schema.ts';
import type { Installation } from '../../domain/deploys/step-definition.ts';
import { planContainerFile, planMonorepo, planSource } from './plan-container-file.ts';

/** What a deploy of these files would do, without doing it. @throws CATALOG_INVALID, CATALOG_VERSION_UNSUPPORTED */
export function planBuild(
  body: z.output<typeof planBodySchema>,
  options: { enforceMinimumVersion: boolean; installation: Installation },
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
  const { found, warnings: ofSource } =
    source === null ? { found: [], warnings: [] } : planContainerFile(source, catalog, planMonorepo(body));
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
    warnings: [
      ...warnings,
      ...ofSource,
      ...conventionViolations(catalog).map(({ level, message }) =>
        level === 'block' ? `This ends a deploy: ${message}` : message,
      ),
      ...(misnamed ? [`metadata.name is ${catalog.name}, not ${body.service}`] : []),
    ],
  };
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
