import { compareVersions } from '../compare-versions.ts';
import { isReservedVariable } from '../config/variable-names.ts';
import { FairleadError } from '../errors.ts';
import { KNOWN_ANNOTATIONS } from './annotations-schema.ts';
import { CATALOG_SECTIONS, type Catalog, FRAMEWORKS, type Framework, type ParsedCatalog } from './catalog.ts';
import { CATALOG_SOURCE } from './catalog-source.ts';
import { decideVersion, ROLES_SINCE, SECTIONS_SINCE, withoutNewerSections } from './catalog-version.ts';
import { checkShape } from './check-shape.ts';
import { decideResources } from './decide-resources.ts';
import { readDatabases } from './read-databases.ts';
import { type FileProblem, formatPath, invalidFile, readYaml, type YamlFile, type YamlSource } from './read-yaml.ts';
import { recordAt, recordHas } from './record-at.ts';
import { type CatalogFile, catalogSchema, specSchema } from './schema.ts';
import { unknownWords } from './unknown-words.ts';

const KNOWN_SPEC_KEYS: ReadonlySet<string> = new Set([
  ...CATALOG_SECTIONS,
  ...Object.keys(SECTIONS_SINCE),
  ...['owner', 'framework', 'routes', 'databases', 'configDeclarations', 'type', 'lifecycle', 'system'],
]);

/** A parsed catalog file that still knows whether it declared its health endpoint. */
export interface ReadCatalog extends ParsedCatalog {
  readonly declaredHealthEndpoint: string | null;
}

export interface ParseCatalogOptions {
  readonly enforceMinimumVersion: boolean;
  /** Named in messages; `catalog-info.yaml` when left out. */
  readonly fileName?: string;
}

/**
 * Reads a catalog file (spec 2, "Catalog file", "Versioning"): defaults filled in, unusable values replaced with a
 * warning. `framework` is null when the file names none; see `mergeInferred`.
 *
 * @throws CATALOG_INVALID with every problem, its line and column; CATALOG_VERSION_UNSUPPORTED when enforced.
 */
export function parseCatalog(text: string, options: ParseCatalogOptions): ReadCatalog {
  const source = { ...CATALOG_SOURCE, fileName: options.fileName ?? CATALOG_SOURCE.fileName };
  const yaml = readYaml(text, source);
  refuseRewritten(yaml, source);
  const warnings: string[] = [];
  const version = decideVersion(yaml.value, options.enforceMinimumVersion, warnings);
  const visible = withoutNewerSections(yaml.value, version, warnings);
  const file = checkShape(catalogSchema, visible, yaml, source);
  const spec = recordAt(visible, 'spec') ?? {};
  warnAboutKeys(spec, warnings);
  warnings.push(...unknownWords(specSchema, spec));
  warnAboutAnnotations(recordAt(recordAt(visible, 'metadata'), 'annotations') ?? {}, warnings);
  return toCatalog(file, version, spec, warnings);
}

/** In what the platform reads, a number is what it looks like: `1.10` as a default would be given to the service as 1.1. */
function refuseRewritten({ numbers }: YamlFile, source: YamlSource): void {
  const problems = numbers.flatMap(({ path, written, read, line, column }): FileProblem[] => {
    if (!isRead(path)) return [];
    // A default may be the default of a secret.
    const message =
      path.at(-1) === 'default'
        ? 'a number that is not read as it is written: put it in quotes'
        : rewritten(written, read);
    return [{ line, column, path: formatPath(path), message }];
  });
  if (problems.length > 0) throw invalidFile(source, problems);
}

function rewritten(written: string, read: number | string): string {
  const number = Number(read);
  if (!Number.isInteger(number) || Number.isSafeInteger(number))
    return `the number ${written} is read as ${read}: write ${read}, or "${written}" in quotes`;
  const most = `${number < 0 ? '-' : ''}${Number.MAX_SAFE_INTEGER}`;
  return `the number ${written} is farther from 0 than a number is read exactly, which is ${most}; for a text, write "${written}" in quotes`;
}

function isRead([top, section, name]: readonly PropertyKey[]): boolean {
  if (top === 'spec') return KNOWN_SPEC_KEYS.has(String(section));
  return top === 'metadata' && (section === 'name' || (section === 'annotations' && isOurs(String(name))));
}

function isOurs(annotation: string): boolean {
  return annotation.startsWith('platform.io/');
}

/** Fills what the file left open from what was inferred: the framework, and the health endpoint that goes with it. */
export function mergeInferred(parsed: ReadCatalog, inferred: ParsedCatalog): ParsedCatalog {
  if (parsed.catalog.framework !== null) return { catalog: parsed.catalog, warnings: parsed.warnings };
  const { framework } = inferred.catalog;
  return {
    catalog: {
      ...parsed.catalog,
      framework,
      healthEndpoint: parsed.declaredHealthEndpoint ?? defaultHealthEndpoint(framework),
    },
    warnings: parsed.warnings,
  };
}

/** `/api/health` for nextjs, `/health` for the others (spec 2, "Catalog file"). */
export function defaultHealthEndpoint(framework: Framework | null): string {
  return framework === 'nextjs' ? '/api/health' : '/health';
}

function toCatalog(file: CatalogFile, version: string, spec: object, warnings: string[]): ReadCatalog {
  const annotations = file.metadata.annotations ?? {};
  const framework = decideFramework(annotations['platform.io/framework'] ?? file.spec?.framework ?? null, warnings);
  const declaredHealthEndpoint = annotations['platform.io/health-endpoint'] ?? null;
  const catalog: Catalog = {
    name: file.metadata.name,
    declared: true,
    version,
    framework,
    owner: file.spec?.owner ?? null,
    ...decideResources(
      {
        tier: annotations['platform.io/pod-tier'] ?? null,
        cpu: annotations['platform.io/cpu-request'] ?? null,
        memory: annotations['platform.io/memory-request'] ?? null,
      },
      warnings,
    ),
    healthEndpoint: declaredHealthEndpoint ?? defaultHealthEndpoint(framework),
    healthDeclared: declaredHealthEndpoint !== null,
    port: annotations['platform.io/port'] ?? null,
    buildEnvVars: [...new Set(annotations['platform.io/env-vars'] ?? [])],
    dockerfile: annotations['platform.io/dockerfile'] ?? null,
    ...declaredCommands(annotations),
    writablePaths: [...new Set(annotations['platform.io/writable-paths'] ?? [])],
    config: refuseReserved(lastOfEach(file.spec?.config ?? [], (entry) => entry.key, 'spec.config', warnings)),
    databases: readDatabases(file.spec?.databases ?? [], spec, warnings),
    storage: lastOfEach(file.spec?.storage ?? [], (entry) => entry.name, 'spec.storage', warnings),
    dependencies: readDependencies(file, warnings),
    routes: file.spec?.routes ?? [],
    bindings: readBindings(file, warnings),
    ...declaredSections(file),
    modules: lastOfEach(file.spec?.modules ?? [], ({ name }) => name, 'spec.modules', warnings),
    userAccess: decideUserAccess(file, version, warnings),
    sections: CATALOG_SECTIONS.filter((section) => recordHas(spec, section)),
  };
  return { catalog, warnings, declaredHealthEndpoint };
}

function readDependencies({ spec }: CatalogFile, warnings: string[]): Catalog['dependencies'] {
  const declared = lastOfEach(spec?.dependencies ?? [], (entry) => entry.service, 'spec.dependencies', warnings);
  return declared.map(({ databases, ...dependency }) => {
    if (databases.length === 0) return dependency;
    const where = `spec.dependencies of ${dependency.service}: databases`;
    return { ...dependency, databases: lastOfEach(databases, ({ type }) => type, where, warnings) };
  });
}

/** Sections of `spec` that are taken as they are. */
function declaredSections({
  spec,
}: CatalogFile): Pick<Catalog, 'auth' | 'seo' | 'tests' | 'registration' | 'walkthrough'> {
  const { auth = null, seo = null, tests = [], registration = null, walkthrough = null } = spec ?? {};
  return { auth, seo, tests, registration, walkthrough: walkthrough?.url ?? null };
}

/** Roles came with 0.6.0, a version after the section (spec 2, "Versioning"). */
function decideUserAccess({ spec }: CatalogFile, version: string, warnings: string[]): Catalog['userAccess'] {
  const access = spec?.userAccess ?? null;
  if (access === null) return null;
  const where = 'spec.userAccess.roles';
  const roles = lastOfEach(access.roles, ({ name }) => name, where, warnings);
  if (roles.length === 0 || compareVersions(version, ROLES_SINCE) >= 0) return { ...access, roles };
  warnings.push(`${where} is ignored: it needs catalog version ${ROLES_SINCE}, and the file declares ${version}`);
  return { ...access, roles: [] };
}

function readBindings({ spec }: CatalogFile, warnings: string[]): Catalog['bindings'] {
  const queues = lastOfEach(spec?.queues ?? [], ({ name }) => name, 'spec.queues', warnings);
  const schedules = lastOfEach(spec?.schedules ?? [], ({ name }) => name, 'spec.schedules', warnings);
  return [
    ...queues.map(({ name, path }) => ({ kind: 'queue', name, path: path ?? `/queues/${name}`, cron: null }) as const),
    ...schedules.map(
      ({ name, path, cron }) => ({ kind: 'schedule', name, path: path ?? `/schedules/${name}`, cron }) as const,
    ),
  ];
}

/** What the file says in the place of what would be found in the source. */
function declaredCommands(
  annotations: NonNullable<CatalogFile['metadata']['annotations']>,
): Pick<
  Catalog,
  'nodeVersion' | 'packageManager' | 'installCommand' | 'buildCommand' | 'startCommand' | 'outputFolder'
> {
  return {
    nodeVersion: annotations['platform.io/node-version'] ?? null,
    packageManager: annotations['platform.io/package-manager'] ?? null,
    installCommand: annotations['platform.io/install-command'] ?? null,
    buildCommand: annotations['platform.io/build-command'] ?? null,
    startCommand: annotations['platform.io/start-command'] ?? null,
    outputFolder: annotations['platform.io/output-folder'] ?? null,
  };
}

/** @throws RESERVED_ENV_VAR naming them: a declared default would stand where the platform injects nothing */
function refuseReserved<T extends { readonly key: string }>(declared: readonly T[]): readonly T[] {
  const names = declared.map(({ key }) => key).filter(isReservedVariable);
  if (names.length === 0) return declared;
  const message = `spec.config: ${names.join(', ')}: the platform provides this itself; remove it, or choose another name`;
  throw new FairleadError('RESERVED_ENV_VAR', message, { details: { names } });
}

function warnAboutKeys(spec: object, warnings: string[]): void {
  for (const key of Object.keys(spec)) {
    if (key === 'configDeclarations')
      warnings.push('spec.configDeclarations does nothing; declare variables in spec.config');
    else if (!KNOWN_SPEC_KEYS.has(key)) warnings.push(`spec.${key} is not a known section and is ignored`);
  }
}

function warnAboutAnnotations(annotations: object, warnings: string[]): void {
  for (const key of Object.keys(annotations)) {
    if (isOurs(key) && !KNOWN_ANNOTATIONS.has(key)) warnings.push(`the annotation ${key} is not known and is ignored`);
  }
}

function decideFramework(stated: string | null, warnings: string[]): Framework | null {
  if (stated === null) return null;
  const found = FRAMEWORKS.find((framework) => framework === stated.toLowerCase());
  if (found === undefined)
    warnings.push(`framework ${JSON.stringify(stated)} is not one of ${FRAMEWORKS.join(', ')}; it is inferred instead`);
  return found ?? null;
}

function lastOfEach<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  where: string,
  warnings: string[],
): readonly T[] {
  const byKey = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (byKey.has(key)) warnings.push(`${where} names ${key} more than once; the last entry counts`);
    byKey.set(key, item);
  }
  return [...byKey.values()];
}
