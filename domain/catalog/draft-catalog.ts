import { stringify } from 'yaml';
import { isReservedVariable } from '../config/variable-names.ts';
import { isSensitiveName } from '../logs/sensitive-names.ts';
import type { AppSource } from './app-source.ts';
import type { Catalog, Framework } from './catalog.ts';
import { defaultHealthEndpoint } from './parse-catalog.ts';
import { exampleVariables } from './variables-file.ts';

/** What a look at an app found that its catalog file should say. */
export interface CatalogDraft {
  readonly name: string;
  readonly framework: Framework | null;
  /** A port that its code listens on whatever PORT says; null when it follows PORT, or nothing is known. */
  readonly port: number | null;
  /** A path that its code answers for health checks; null when none was seen. */
  readonly health: string | null;
  readonly databases: Catalog['databases'];
  /** Variables that its example of a settings file names. */
  readonly config: readonly { readonly key: string; readonly secret: boolean }[];
}

/** Routes of a server itself: one of a router may lie below another path. */
const HEALTH_ROUTE =
  /\b(?:app|server|fastify|api)\.(?:get|all)\(\s{0,20}['"`](\/(?:api\/)?(?:_?health(?:z|check|-check)?|livez|ping))['"`]/;
const NEXTJS_HEALTH = /^(?:src\/)?(?:app\/api\/health\/route|pages\/api\/health)\.[jt]sx?$/;
const FOLLOWS_PORT = /\benv\b.{0,5}\bPORT\b/;
const LISTENS_ON =
  /\.listen\(\s{0,20}(?:\{\s{0,20}port:\s{0,5})?(\d{2,5})\b|\bserve\(\{[^{}]{0,200}\bport:\s{0,5}(\d{2,5})\b/;

/** Addresses of databases hold their passwords, though an example does not. */
const DATABASE_ADDRESS = /(?:DATABASE|DB|MONGO|POSTGRES|PG|MYSQL|REDIS)\w*_(?:URL|URI|DSN)$/;

/** Packages by which an app reaches a database. */
const DATABASE_PACKAGES: Readonly<Record<string, Catalog['databases'][number]>> = {
  mongodb: 'mongodb',
  mongoose: 'mongodb',
  pg: 'postgres',
  postgres: 'postgres',
  'pg-promise': 'postgres',
  redis: 'redis',
  '@redis/client': 'redis',
  ioredis: 'redis',
  'neo4j-driver': 'neo4j',
  'neo4j-driver-lite': 'neo4j',
};

/**
 * Drafts the catalog file of an app.
 * @param code texts of its source files; only what is plain in them is taken, because a declared value is binding
 */
export function draftCatalog(
  { name, framework }: { readonly name: string; readonly framework: Framework | null },
  { files, variables }: AppSource,
  { code, packages }: { readonly code: readonly string[]; readonly packages: Iterable<string> },
): CatalogDraft {
  const example = exampleVariables(variables ?? {});
  const secrets = new Set(example === null ? [] : variables?.[example.file]?.secrets);
  const keys = (example?.names ?? []).filter((key) => !isReservedVariable(key));
  const databases = [...packages].flatMap((found) => DATABASE_PACKAGES[found] ?? []);
  return {
    name,
    framework,
    port: code.some((text) => FOLLOWS_PORT.test(text)) ? null : firstPort(code),
    health: healthPath(files, code),
    databases: [...new Set(databases)].sort(),
    config: keys.map((key) => ({
      key,
      secret: secrets.has(key) || isSensitiveName(key) || DATABASE_ADDRESS.test(key),
    })),
  };
}

function healthPath(files: readonly string[], code: readonly string[]): string | null {
  if (files.some((file) => NEXTJS_HEALTH.test(file))) return '/api/health';
  return code.map((text) => HEALTH_ROUTE.exec(text)?.[1]).find((path) => path !== undefined) ?? null;
}

function firstPort(code: readonly string[]): number | null {
  for (const text of code) {
    const [, listened, stated] = LISTENS_ON.exec(text) ?? [];
    const port = Number(listened ?? stated ?? 0);
    if (port >= 1 && port <= 65_535) return port;
  }
  return null;
}

/** The text of the file, with a line of explanation where something is left to its author. */
export function writeCatalog(
  draft: CatalogDraft,
  { version, schemaUrl }: { version: string; schemaUrl: string },
): string {
  const { name, framework, port, health, databases, config } = draft;
  const annotations = [
    `platform.io/catalog-version: ${version}`,
    ...(framework === null ? [] : [`platform.io/framework: ${framework}`]),
    ...(port === null ? [] : [`platform.io/port: "${port}" # it listens there whatever PORT says`]),
    health === null
      ? `# platform.io/health-endpoint: ${defaultHealthEndpoint(framework)} # must answer 2xx; without it any answer below 500 will do`
      : `platform.io/health-endpoint: ${health} # must answer 2xx before traffic reaches a release`,
    '# platform.io/pod-tier: nano # or small, medium, large, xlarge',
  ];
  const needs = [
    ...(databases.length === 0 ? [] : ['databases:', ...databases.map((type) => `  - type: ${type}`)]),
    ...(config.length === 0 ? [] : ['config: # required: true makes a deploy without a value fail before its build']),
    ...config.flatMap(({ key, secret }) => [`  - key: ${yamlText(key)}`, ...(secret ? ['    secret: true'] : [])]),
  ];
  return [
    `# yaml-language-server: $schema=${schemaUrl}`,
    'metadata:',
    `  name: ${yamlText(name)}`,
    '  annotations:',
    ...annotations.map((line) => `    ${line}`),
    ...(needs.length === 0 ? [] : ['spec:', ...needs.map((line) => `  ${line}`)]),
    '',
  ].join('\n');
}

/** Between quotes where YAML would read something else than a text: a number, or `null`. */
const yamlText = (text: string): string => stringify(text).trimEnd();
