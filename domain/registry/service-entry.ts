import { ENVIRONMENTS } from '../environment.ts';

/** Environments that the registry knows. Nothing is deployed to `dev` any more; bindings of earlier times are there. */
export const REGISTRY_ENVIRONMENTS = [...ENVIRONMENTS, 'dev'] as const;

export type RegistryEnvironment = (typeof REGISTRY_ENVIRONMENTS)[number];

/**
 * All that the service registry keeps of one service: its plugin record, its namespaces, routes, modules, bindings and
 * changelog. One entry is one document, so that each change of it is whole or is not.
 *
 * The key is the id that the builder gave the service. A later service of the same name has another id, and so another
 * entry: it inherits nothing.
 */
export interface ServiceEntry {
  /** `svc_…` */
  readonly id: string;
  readonly name: string;
  /** Slug of the owning org, whose members may read it. */
  readonly org: string;
  /** When the builder made the service. Of two entries of one name the later one has the name. */
  readonly serviceSince: Date;
  /** From 1; each change counts one up. */
  readonly revision: number;
  readonly environments: Readonly<Partial<Record<RegistryEnvironment, EnvironmentEntry>>>;
  readonly changelog: Changelog | null;
  readonly updatedAt: Date;
  /** Since when it is removed. The entry stays without content, so that a late write finds it and is refused. */
  readonly removedAt: Date | null;
}

/** What the registry keeps of a service in one environment. */
export interface EnvironmentEntry {
  /** `{service}-{environment}` */
  readonly namespace: string;
  readonly since: Date;
  /** The newest epoch that wrote here (`domain/deploys/epoch.ts`); 0 before the first. Writes of an older one are refused. */
  readonly epoch: number;
  readonly registration: Registration | null;
  /**
   * Modules of a deploy that has not registered its release yet, or never did: what it offers may be looked up before it
   * serves. Null from the next registration on.
   */
  readonly announced: AnnouncedModules | null;
  /** Null until a deploy told it. */
  readonly metadata: ServiceMetadata | null;
  /** Ordered by kind, then name. */
  readonly bindings: readonly Binding[];
}

/** What a deployed service offers: the gateway forwards and charges by it. */
export interface Registration {
  readonly buildId: string;
  readonly releaseId: string;
  readonly commit: string | null;
  /** The declared port (`platform.io/port`), or where the service was found to listen without one. */
  readonly port: number;
  /** Public address. */
  readonly url: string;
  readonly healthEndpoint: string;
  readonly routes: readonly RegisteredRoute[];
  readonly modules: readonly RegisteredModule[];
  readonly registeredAt: Date;
}

/** Who pays for a call, as the catalog declares it. */
export const CHARGES = ['service', 'callerOrg', 'system'] as const;

export interface RegisteredRoute {
  readonly path: string;
  /** None is all. */
  readonly methods: readonly string[];
  readonly auth: string | null;
  /** Whole gas tokens for each successful call; 0 is free. */
  readonly gas: number;
  /** Null: the catalog declares none, which is not the same as `service` (spec 2, "Gas and metering", 3). */
  readonly charge: (typeof CHARGES)[number] | null;
  readonly stripPrefix: string | null;
}

export interface RegisteredModule {
  readonly name: string;
  readonly title: string | null;
}

export interface AnnouncedModules {
  readonly buildId: string;
  readonly modules: readonly RegisteredModule[];
}

/** What a service tells people about: the roles that it knows, and what they sign up for. */
export interface ServiceMetadata {
  readonly roles: readonly RegisteredRole[];
  readonly registration: RegistrationText | null;
}

export interface RegisteredRole {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
}

export interface RegistrationText {
  readonly title: string | null;
  readonly description: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
}

export const BINDING_KINDS = ['queue', 'schedule'] as const;

export type BindingKind = (typeof BINDING_KINDS)[number];

/** By which the queue or the scheduler calls a service. */
export interface Binding {
  readonly kind: BindingKind;
  readonly name: string;
  readonly namespace: string;
  /** As in {@link Registration}. */
  readonly port: number;
  /** Path of the service that is called with POST. */
  readonly path: string;
  /** Five fields, UTC; null for a queue. */
  readonly cron: string | null;
}

/** What is new in a service, shown on the status page (spec 3, "Changelog record"). */
export interface Changelog {
  readonly notes: string;
  readonly version: string | null;
  readonly commit: string | null;
  readonly deployedAt: Date;
  readonly walkthroughUrl: string | null;
  readonly walkthroughUpdatedAt: Date | null;
}
