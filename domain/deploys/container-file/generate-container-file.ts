import type { Framework } from '../../catalog/catalog.ts';
import { readManifest } from '../../catalog/read-manifest.ts';
import { FairleadError } from '../../errors.ts';
import { BASE_IMAGES } from './base-images.ts';
import { detectPackageManager } from './detect-package-manager.ts';
import { type AppFacts, nextjsInstructions, nodeInstructions, staticInstructions } from './framework-instructions.ts';
import { installCommands } from './install-commands.ts';
import { nodeImage } from './node-version.ts';

/** Where the generated container file is, relative to the build context. */
export const GENERATED_CONTAINER_FILE = '.fairlead/Dockerfile';

export interface ContainerFileInput {
  readonly framework: Framework;
  /** Text of package.json in the build context; null when there is none. */
  readonly manifest: string | null;
  /** Names in the build context's root, directories included. */
  readonly files: readonly string[];
  /** `platform.io/port`; null when it is not declared. */
  readonly port: number | null;
  readonly healthEndpoint: string;
  readonly secretsEnabled: boolean;
}

/** A file to write into the build context. */
export interface ContextFile {
  /** Relative to the build context. */
  readonly path: string;
  readonly text: string;
  readonly mode?: number;
}

export interface GeneratedContainerFile {
  /** The container file first. */
  readonly files: readonly ContextFile[];
  /** Path of the container file, relative to the build context. */
  readonly dockerfile: string;
  /** Port the app is told to listen on, by PORT. */
  readonly port: number;
  /** The base image of the final stage. */
  readonly runsOn: string;
  readonly warnings: readonly string[];
}

const DEFAULT_PORTS: Readonly<Record<Framework, number>> = {
  express: 3000,
  fastify: 3000,
  hono: 3000,
  nextjs: 3000,
  static: 8080,
};

const IGNORED = ['node_modules', '.git', '.fairlead', '.env*', '!.env.production', '**/.env.local', 'npm-debug.log*'];

/**
 * Writes the container file of an app that brings none (spec 2, step 4): multi-stage, built by the legacy builder and by
 * BuildKit alike, user 1001, and able to run on a read-only root file system with a writable /tmp.
 *
 * @throws CONTAINER_FILE_INVALID when the manifest is missing or says no way to start the app.
 */
export function generateContainerFile(input: ContainerFileInput): GeneratedContainerFile {
  const warnings: string[] = [];
  const port = input.port ?? DEFAULT_PORTS[input.framework];
  if (input.manifest === null && input.framework !== 'static') {
    throw new FairleadError(
      'CONTAINER_FILE_INVALID',
      `a ${input.framework} app needs a package.json in its build context; add one, or name a container file of your own`,
    );
  }
  const manifest = readManifest(input.manifest, warnings);
  const manager = detectManager();
  const isServer = input.framework !== 'static';
  const node = nodeImage(manifest.nodeRange);
  // A static site without a build has nothing to do with Node.js.
  if (node.warning !== null && (isServer || manifest.scripts.build !== undefined)) warnings.push(node.warning);
  const facts: AppFacts = {
    manifest,
    nodeImage: node.image,
    files: input.files,
    port,
    healthEndpoint: input.healthEndpoint,
    secretsEnabled: input.secretsEnabled,
    commands: installCommands(manager, input.files),
    warnings,
  };
  const text = `${instructionsOf(input.framework, facts).join('\n')}\n`;
  const files: ContextFile[] = [{ path: GENERATED_CONTAINER_FILE, text }];
  if (!input.files.includes('.dockerignore')) files.push({ path: '.dockerignore', text: `${IGNORED.join('\n')}\n` });
  const runsOn = isServer ? node.image : BASE_IMAGES.nginx;
  return { files, dockerfile: GENERATED_CONTAINER_FILE, port, runsOn, warnings };

  function detectManager() {
    // A static site without a build installs nothing, so a missing lockfile is no concern of its owner.
    const concerns = input.framework === 'static' && manifest.scripts.build === undefined ? [] : warnings;
    return detectPackageManager(manifest, input.files, concerns);
  }
}

function instructionsOf(framework: Framework, facts: AppFacts): readonly string[] {
  if (framework === 'static') return staticInstructions(facts);
  return framework === 'nextjs' ? nextjsInstructions(facts) : nodeInstructions(facts);
}
