import type { AppDescription } from '../app/app-description.ts';
import {
  type ImageOptions,
  nextjsInstructions,
  nodeInstructions,
  staticInstructions,
} from './framework-instructions.ts';

/** Where the generated container file is, relative to the build context. */
export const GENERATED_CONTAINER_FILE = '.fairlead/Dockerfile';

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
}

const IGNORED = [
  'node_modules',
  '**/node_modules',
  '.git',
  '.fairlead',
  '.env*',
  '!.env.production',
  '**/.env.local',
  'npm-debug.log*',
];

/**
 * Writes the container file of an app that brings none (spec 2, step 4): multi-stage, built by the legacy builder and by
 * BuildKit alike, user 1001, and able to run on a read-only root file system with a writable /tmp.
 *
 * @throws CONTAINER_FILE_INVALID when the health endpoint cannot stand in the web server's configuration.
 */
export function generateContainerFile(app: AppDescription, options: ImageOptions): GeneratedContainerFile {
  const text = `${instructionsOf(app, options).join('\n')}\n`;
  const files: ContextFile[] = [{ path: GENERATED_CONTAINER_FILE, text }];
  if (!app.hasIgnoreFile) files.push({ path: '.dockerignore', text: `${IGNORED.join('\n')}\n` });
  return { files, dockerfile: GENERATED_CONTAINER_FILE };
}

function instructionsOf(app: AppDescription, options: ImageOptions): readonly string[] {
  if (app.start === null) return staticInstructions(app, options);
  return app.nextFolder !== null ? nextjsInstructions(app, options) : nodeInstructions(app, options);
}
