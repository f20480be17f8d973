import type { PassportConfig } from '../passport-config.ts';
import type { SignInRule } from '../sign-in-rule.ts';
import type { PodTierName } from './pod-tiers.ts';

/** The versions of the catalog format, oldest first. Sections newer than the declared version are ignored. */
export const CATALOG_VERSIONS = ['0.2.0', '0.3.0', '0.4.0', '0.5.0', '0.6.0'] as const;

export type CatalogVersion = (typeof CATALOG_VERSIONS)[number];

export const FRAMEWORKS = ['express', 'fastify', 'hono', 'nextjs', 'static'] as const;

export type Framework = (typeof FRAMEWORKS)[number];

/** Databases that a catalog may declare. */
export const CATALOG_ENGINES = ['mongodb', 'postgres', 'redis', 'neo4j'] as const;

export type CatalogEngine = (typeof CATALOG_ENGINES)[number];

/** Engines whose databases a catalog may ask of other services. */
export const CONSUMED_ENGINES = ['mongodb', 'postgres'] as const satisfies readonly CatalogEngine[];

export type ConsumedEngine = (typeof CONSUMED_ENGINES)[number];

/** What a service may do with the database of another one. */
export const DATABASE_ACCESS = ['read', 'write'] as const;

export type DatabaseAccessKind = (typeof DATABASE_ACCESS)[number];

/** A catalog file (`catalog-info.yaml`) after parsing: defaults filled in, unusable values replaced with a warning. */
export interface Catalog {
  /** `metadata.name`; null when there is no catalog file and the manifest names nothing. */
  readonly name: string | null;
  /** False when no catalog file exists and everything here was inferred from the package manifest. */
  readonly declared: boolean;
  readonly version: string;
  readonly framework: Framework | null;
  /** `spec.owner`: the org that is billed; null when the catalog names none. */
  readonly owner: string | null;
  readonly podTier: PodTierName;
  readonly cpuRequestMillis: number;
  readonly memoryRequestBytes: number;
  /** `platform.io/health-endpoint`, or the framework's default; begins with `/`. */
  readonly healthEndpoint: string;
  /** True for `platform.io/health-endpoint`, false for the framework's default. */
  readonly healthDeclared: boolean;
  /** `platform.io/port`; null when it is not declared. */
  readonly port: number | null;
  /** `platform.io/env-vars`: names of the variables in the build-time env file. */
  readonly buildEnvVars: readonly string[];
  /** `platform.io/dockerfile`: path of a hand-written container file, relative to the app path; null when generated. */
  readonly dockerfile: string | null;
  /** `platform.io/node-version`: a version or its beginning, in the place of what was found; null when it is not declared. */
  readonly nodeVersion: string | null;
  /** `platform.io/package-manager`: `pnpm@10.2.0` or a name alone, the same way. */
  readonly packageManager: string | null;
  /** `platform.io/install-command`: a shell command, in the place of what was found; null when it is not declared. */
  readonly installCommand: string | null;
  /** `platform.io/build-command`, the same way. */
  readonly buildCommand: string | null;
  /** `platform.io/start-command`, the same way. */
  readonly startCommand: string | null;
  /** `platform.io/output-folder`: where the built site is, relative to the app; null when it is not declared. */
  readonly outputFolder: string | null;
  /** `platform.io/writable-paths`: folders of the container that the service writes to, beside the usual ones. */
  readonly writablePaths: readonly string[];
  readonly config: readonly ConfigDeclaration[];
  readonly databases: readonly CatalogEngine[];
  readonly storage: readonly StorageDeclaration[];
  readonly dependencies: readonly DependencyDeclaration[];
  readonly routes: readonly RouteDeclaration[];
  /** `spec.queues` and `spec.schedules`: who calls the service, and where. */
  readonly bindings: readonly BindingDeclaration[];
  /** `spec.auth`; null without it: then the service has no OAuth client. */
  readonly auth: AuthDeclaration | null;
  /** `spec.seo`; null without it. */
  readonly seo: SeoDeclaration | null;
  /** `spec.tests`: what a release has to answer before it counts as deployed. */
  readonly tests: readonly TestDeclaration[];
  /** `spec.modules`. */
  readonly modules: readonly ModuleDeclaration[];
  /** `spec.userAccess`; null without it. */
  readonly userAccess: UserAccess | null;
  /** `spec.registration`; null without it. */
  readonly registration: CatalogRegistration | null;
  /** `spec.walkthrough.url`: an address, or a path of the service; null without it. */
  readonly walkthrough: string | null;
  /** Top-level keys of `spec` that belong to later steps (auth, tests, queues, …) and are present in the file. */
  readonly sections: readonly CatalogSection[];
}

/** Services that one declares to call, and scopes of one of them: what another org can still look through. */
export const MOST_DEPENDENCIES = 100;
export const MOST_SCOPES = 50;

export interface ConfigDeclaration {
  readonly key: string;
  readonly secret: boolean;
  readonly required: boolean;
  readonly default: string | null;
}

export const STORAGE_TIERS = ['s3-sm', 's3-md', 's3-lg', 's3-xl'] as const;

export interface StorageDeclaration {
  readonly name: string;
  readonly tier: (typeof STORAGE_TIERS)[number];
}

export interface DependencyDeclaration {
  readonly service: string;
  readonly scopes: readonly string[];
  /** Databases of that service that this one uses, of a type at most one; absent for none. */
  readonly databases?: readonly { readonly type: ConsumedEngine; readonly access: DatabaseAccessKind }[] | undefined;
}

export interface RouteDeclaration {
  readonly path: string;
  readonly methods: readonly string[];
  /** The route's auth mode as the catalog states it; null when absent. */
  readonly auth: string | null;
  /** Whole gas tokens for each successful call; 0 is free. */
  readonly gas: number;
  /** Null when it is not declared; records of builds of earlier versions have `service` then. */
  readonly charge: 'service' | 'callerOrg' | 'system' | null;
  readonly stripPrefix: string | null;
}

/** A queue or a schedule that calls the service with POST at a path. */
export interface BindingDeclaration {
  readonly kind: 'queue' | 'schedule';
  readonly name: string;
  readonly path: string;
  /** Five fields, UTC; null for a queue. */
  readonly cron: string | null;
}

/** What `spec.auth.mode` asks for: people log in, or the service alone has credentials. */
export const AUTH_MODES = ['sso', 'service-only'] as const;

export type AuthMode = (typeof AUTH_MODES)[number];

/** A part of a service that orgs switch on. */
export interface ModuleDeclaration {
  readonly name: string;
  readonly title: string | null;
}

export interface UserAccess {
  readonly signIn: SignInRule;
  readonly roles: readonly RoleDeclaration[];
}

export interface RoleDeclaration {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
}

/** What people are shown where they sign up for a service. */
export interface CatalogRegistration {
  readonly title: string | null;
  readonly description: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
}

/** More in one catalog is a mistake. */
export const MOST_MODULES = 50;
export const MOST_ROLES = 50;

/** `spec.auth` (spec 1, "Catalog auth declaration"). */
export interface AuthDeclaration {
  readonly mode: AuthMode;
  readonly passport: PassportConfig;
}

/** An HTTP test of a release (`spec.tests`; the contract names the section, and its fields are ours). */
export interface TestDeclaration {
  readonly name: string;
  readonly method: string;
  /** Path with query, below the address of the service. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Null for any 2xx. */
  readonly expectStatus: number | null;
  readonly expectBodyContains: string | null;
}

/** `spec.seo`: what the site registry is told of a service (spec 3, "Site registry"). */
export interface SeoDeclaration {
  readonly enabled: boolean;
  readonly entity: string | null;
  readonly topic: string | null;
}

export const CATALOG_SECTIONS = [
  'auth',
  'egress',
  'modules',
  'queues',
  'registration',
  'schedules',
  'seo',
  'tests',
  'userAccess',
  'walkthrough',
] as const;

export type CatalogSection = (typeof CATALOG_SECTIONS)[number];

/** A catalog and what the reader should know about how it was read. */
export interface ParsedCatalog {
  readonly catalog: Catalog;
  readonly warnings: readonly string[];
}

/** `.platform.yaml` (spec 2, step 2): paths relative to the repository root, except `buildContext` (to `appPath`). */
export interface PlatformConfig {
  readonly appPath: string | null;
  readonly dockerfile: string | null;
  readonly buildContext: string | null;
  readonly helmChart: string | null;
}
