import type { AppDescription } from '../app/app-description.ts';
import type { ImageOptions } from './build-stage.ts';
import { bunStage } from './bun-stage.ts';
import { nextjsInstructions, nodeInstructions, staticInstructions } from './framework-instructions.ts';
import { MANIFESTS } from './install-commands.ts';

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
  // Some programs read there which variables they need.
  '!.env.example',
  '**/.env.local',
  'npm-debug.log*',
];

/**
 * Writes the container file of an app that brings none (spec 2, step 4): multi-stage, built by BuildKit and, without
 * `cacheMounts`, by the legacy builder, user 1001, and able to run on a read-only root file system with a writable /tmp.
 *
 * @throws CONTAINER_FILE_INVALID when the health endpoint cannot stand in the web server's configuration.
 */
export function generateContainerFile(app: AppDescription, options: ImageOptions): GeneratedContainerFile {
  const text = `${instructionsOf(app, options).join('\n')}\n`;
  const files: ContextFile[] = [{ path: GENERATED_CONTAINER_FILE, text }];
  for (const [path, manifest] of Object.entries(app.commands.manifests)) {
    files.push({ path: `${MANIFESTS}/${path}`, text: manifest });
  }
  if (!app.hasIgnoreFile) files.push({ path: '.dockerignore', text: `${ignored(app).join('\n')}\n` });
  return { files, dockerfile: GENERATED_CONTAINER_FILE };
}

/** Of a monorepo, packages that the app does not need stay out: a change in one of them changes nothing for the app. */
function ignored({ keepsSettingsFile, workspace }: AppDescription): readonly string[] {
  if (workspace === null) return keepsSettingsFile ? [...IGNORED, '!.env'] : IGNORED;
  const { app, needs, others } = workspace;
  const used = [app, ...needs].map(({ folder }) => folder);
  const unused = others.filter(({ folder }) => !used.some((one) => one.startsWith(`${folder}/`)));
  return [
    ...IGNORED.flatMap((line) => (/^!?\.env/.test(line) ? [line.replace('.env', '**/.env')] : [line])),
    ...(keepsSettingsFile ? [`!${app.folder}/.env`] : []),
    ...unused.map(({ folder }) => `${folder}/*`),
  ];
}

function instructionsOf(app: AppDescription, options: ImageOptions): readonly string[] {
  return [...bunStage(app), ...ofKind(app, options)];
}

function ofKind(app: AppDescription, options: ImageOptions): readonly string[] {
  if (app.start === null) return staticInstructions(app, options);
  return app.nextFolder !== null ? nextjsInstructions(app, options) : nodeInstructions(app, options);
}
