import type { Catalog, Framework, ParsedCatalog } from './catalog.ts';
import { decideResources } from './decide-resources.ts';
import { defaultHealthEndpoint } from './parse-catalog.ts';
import { type Manifest, readManifest } from './read-manifest.ts';
import { runsProgram, siteGenerator } from './site-generators.ts';

export interface InferenceFacts {
  /** Text of package.json; null when there is none. */
  readonly manifest: string | null;
  /** Names in the app's directory; `public/index.html` and the like may be among them. */
  readonly files: readonly string[];
}

/** Packages that name a framework, the most telling first: next and the servers may stand beside express. */
const BY_PACKAGE: readonly (readonly [string, Framework])[] = [
  ['next', 'nextjs'],
  ['fastify', 'fastify'],
  ['hono', 'hono'],
  ['express', 'express'],
];

const STATIC_ENTRY_FILES = ['index.html', 'public/index.html', 'dist/index.html'];

/** What can be said of an app without a catalog file: framework, name and defaults, and a warning that it is a guess. */
export function inferCatalog(facts: InferenceFacts): ParsedCatalog {
  const warnings: string[] = [];
  const manifest = readManifest(facts.manifest, warnings);
  const framework = inferFramework(manifest, facts.files);
  warnings.push(`there is no catalog-info.yaml; defaults are used${saidOf(framework, facts.files, manifest)}`);
  const catalog: Catalog = {
    name: manifest.serviceName,
    declared: false,
    version: '0.6.0',
    framework,
    owner: null,
    ...decideResources({ tier: null, cpu: null, memory: null }, warnings),
    healthEndpoint: defaultHealthEndpoint(framework),
    healthDeclared: false,
    port: null,
    buildEnvVars: [],
    dockerfile: null,
    nodeVersion: null,
    packageManager: null,
    installCommand: null,
    buildCommand: null,
    startCommand: null,
    outputFolder: null,
    writablePaths: [],
    config: [],
    databases: [],
    storage: [],
    dependencies: [],
    routes: [],
    bindings: [],
    auth: null,
    modules: [],
    userAccess: null,
    registration: null,
    seo: null,
    tests: [],
    walkthrough: null,
    sections: [],
  };
  return { catalog, warnings };
}

function saidOf(framework: Framework | null, files: readonly string[], { scripts, main }: Manifest): string {
  if (framework !== null) return ` and the framework ${framework} was inferred`;
  if (files.includes('Dockerfile')) return '';
  if (scripts.start !== undefined || main !== null) return ' and the app is started as package.json says';
  return ' and no framework could be inferred; name one in platform.io/framework or add a Dockerfile';
}

/** A server among the packages for development, beside a tool that makes sites, only shows the site to its developer. */
function inferFramework(manifest: Manifest, files: readonly string[]): Framework | null {
  const { dependencies, runtimeDependencies, scripts } = manifest;
  const makesSite = siteGenerator(dependencies) !== null && !runsProgram(scripts);
  const named = BY_PACKAGE.find(([name]) => (makesSite ? runtimeDependencies : dependencies).has(name));
  if (named !== undefined) return named[1];
  if (makesSite) return 'static';
  if (runsProgram(scripts)) return null;
  return files.some((file) => STATIC_ENTRY_FILES.includes(file)) ? 'static' : null;
}
