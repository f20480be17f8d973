import { bindings } from './steps/bindings.ts';
import { catalog } from './steps/catalog.ts';
import { changelog } from './steps/changelog.ts';
import { configPreflight } from './steps/config-preflight.ts';
import { consumedDatabases } from './steps/consumed-databases.ts';
import { containerFile } from './steps/container-file.ts';
import { conventionCheck } from './steps/convention-check.ts';
import { databases } from './steps/databases.ts';
import { dependencies } from './steps/dependencies.ts';
import { deployGate } from './steps/deploy-gate.ts';
import { dns } from './steps/dns.ts';
import { gatedTests } from './steps/gated-tests.ts';
import { healthCheck } from './steps/health-check.ts';
import { imageBuild } from './steps/image-build.ts';
import { imagePush } from './steps/image-push.ts';
import { install } from './steps/install.ts';
import { modelAccess } from './steps/model-access.ts';
import { modules } from './steps/modules.ts';
import { monitor } from './steps/monitor.ts';
import { namespace } from './steps/namespace.ts';
import { oauthClient } from './steps/oauth-client.ts';
import { releaseNotes } from './steps/release-notes.ts';
import { roleMetadata } from './steps/role-metadata.ts';
import { routeRegistration } from './steps/route-registration.ts';
import { scopeGrants } from './steps/scope-grants.ts';
import { sdkUpgradeGate } from './steps/sdk-upgrade-gate.ts';
import { secretReadback } from './steps/secret-readback.ts';
import { serviceRegistration } from './steps/service-registration.ts';
import { siteProperty } from './steps/site-property.ts';
import { siteRegistry } from './steps/site-registry.ts';
import { snapshot } from './steps/snapshot.ts';
import { source } from './steps/source.ts';
import { storage } from './steps/storage.ts';
import { userAccess } from './steps/user-access.ts';

/** Every step of a deploy, in order (spec 2, "Pipeline order"). A row is all that a new step adds here. */
export const STEPS = [
  source,
  catalog,
  containerFile,
  deployGate,
  configPreflight,
  conventionCheck,
  releaseNotes,
  sdkUpgradeGate,
  imageBuild,
  imagePush,
  namespace,
  databases,
  consumedDatabases,
  storage,
  dependencies,
  oauthClient,
  modelAccess,
  scopeGrants,
  modules,
  userAccess,
  siteProperty,
  install,
  snapshot,
  dns,
  healthCheck,
  secretReadback,
  gatedTests,
  serviceRegistration,
  routeRegistration,
  bindings,
  roleMetadata,
  changelog,
  siteRegistry,
  monitor,
] as const;

type Step = (typeof STEPS)[number];

/** A step that this version knows. Records may name others: those of an older or a newer version. */
export type StepKey = Step['key'];

/** A step that this version carries out. */
export type ActingStep = Extract<Step, { readonly run: object }>;

/** Names of the activities that carry steps out. */
export type StepActivity = ActingStep['run']['activity'];

/** The steps that this version carries out, in order. */
export const ACTING_STEPS: readonly ActingStep[] = STEPS.filter((step): step is ActingStep => step.run !== null);
