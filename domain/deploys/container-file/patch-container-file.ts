import { APP_USER } from './base-images.ts';
import { finalUser } from './check-user.ts';
import { ENTRYPOINT_FILE, ENTRYPOINT_PATH, ENTRYPOINT_SCRIPT } from './entrypoint-script.ts';
import type { ContextFile } from './generate-container-file.ts';
import { NAME_OF_USER_IF_MAY } from './name-of-user.ts';
import { type ContainerFile, readContainerFile } from './read-container-file.ts';
import type { PlacedInstruction } from './stage.ts';
import { textOffsets } from './text-offsets.ts';

export interface PatchOptions {
  readonly secretsEnabled: boolean;
  /** Named in messages; `Dockerfile` when left out. */
  readonly fileName?: string;
}

export interface PatchedContainerFile {
  readonly text: string;
  /** What was changed, for the build log. */
  readonly changes: readonly string[];
  /** Files the patched text needs in the root of the build context. */
  readonly extraFiles: readonly ContextFile[];
  /** The last port the final image exposes. */
  readonly port: number | null;
  /** The final user after the patch; null when the file sets none. */
  readonly user: string | null;
  readonly baseImages: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Patches a hand-written container file (spec 2, step 4): the final USER becomes a number when it is a name, and gets a
 * name in /etc/passwd where the stage has a shell; with secrets enabled the entry point is wrapped. All else stays byte
 * for byte. A file without USER gets one. Root stays root: `checkUser` refuses it.
 *
 * @throws CONTAINER_FILE_INVALID with file name and line.
 */
export function patchContainerFile(text: string, options: PatchOptions): PatchedContainerFile {
  const fileName = options.fileName ?? 'Dockerfile';
  const file = readContainerFile(text, fileName);
  const changes: string[] = [];
  const warnings: string[] = [];
  const withUser = patchUser(text, file, changes);
  const wrapped = options.secretsEnabled ? wrapEntrypoint(withUser, file, changes, warnings) : withUser;
  return {
    text: wrapped,
    changes,
    extraFiles: wrapped === withUser ? [] : [{ path: ENTRYPOINT_FILE, text: ENTRYPOINT_SCRIPT, mode: 0o755 }],
    port: file.finalChain.find((stage) => stage.ports.length > 0)?.ports.at(-1) ?? null,
    user:
      wrapped === text
        ? (finalUser(file)?.name ?? null)
        : (finalUser(readContainerFile(wrapped, fileName))?.name ?? null),
    baseImages: file.baseImages,
    warnings,
  };
}

function patchUser(text: string, file: ContainerFile, changes: string[]): string {
  const stage = file.finalChain.find(({ user }) => user !== null);
  const user = stage?.user;
  if (user === null || user === undefined) return addUser(text, file, changes);
  const name = user.value?.split(':')[0] ?? null;
  if (name === 'root' || (name !== null && /^\d+$/.test(name))) return text;
  changes.push(`line ${user.line}: USER ${user.arguments} became USER ${APP_USER}, because the user must be a number`);
  const replaced = replaceArguments(text, user, APP_USER);
  if (stage?.hasShell !== true) return replaced;
  changes.push(NAMED);
  const { from } = textOffsets(replaced, { start: { line: user.line - 1, character: 0 }, end: user.end });
  return `${replaced.slice(0, from)}${NAME_OF_USER_IF_MAY}\n${replaced.slice(from)}`;
}

const NAMED = `user ${APP_USER} was given a name in /etc/passwd, because programs may ask for it`;

/**
 * Without a USER the image would run as its base image's user, mostly root: it gets a number, and a home folder that it
 * can write to. Images and programs that must begin as root stay as they are, and are refused.
 */
function addUser(text: string, file: ContainerFile, changes: string[]): string {
  const image = file.finalChain.at(-1)?.image ?? '';
  const command = file.finalChain.flatMap(({ entrypoint, cmd }) => [entrypoint?.arguments, cmd?.arguments]).join(' ');
  if (image === 'scratch' || NEEDS_ROOT_IMAGE.test(image) || NEEDS_ROOT_PROGRAM.test(command)) return text;
  changes.push(`USER ${APP_USER} was added at the end, because no line sets a user, so the image would run as root`);
  const hasShell = file.finalChain[0]?.hasShell === true;
  if (hasShell) changes.push(NAMED);
  const name = hasShell ? `${NAME_OF_USER_IF_MAY}\n` : '';
  return `${text}${text.endsWith('\n') ? '' : '\n'}${name}ENV HOME=/tmp\nUSER ${APP_USER}\n`;
}

/** Images whose entry point sets up folders as root and then becomes another user. */
const NEEDS_ROOT_IMAGE =
  /^(?:[^/]+\/)*(?:mysql|mariadb|postgres|mongo|redis|rabbitmq|httpd|wordpress|ghost|docker)(?:[:@]|$)/;
const NEEDS_ROOT_PROGRAM =
  /\b(?:gosu|su-exec|supervisord|crond?|sshd|systemctl|service|apache2|httpd|dockerd|sudo|init)\b/;

/** The last ENTRYPOINT counts, so one is added at the end and what is there stays as it is. */
function wrapEntrypoint(text: string, file: ContainerFile, changes: string[], warnings: string[]): string {
  const entrypoint = file.finalChain.find((stage) => stage.entrypoint !== null)?.entrypoint ?? null;
  const cmdStage = file.finalChain.find((stage) => stage.cmd !== null) ?? null;
  if (entrypoint === null && cmdStage === null) {
    warnings.push(
      'neither ENTRYPOINT nor CMD is in the file, so the secrets entry point cannot be put before it; add a CMD',
    );
    return text;
  }
  const original = entrypoint === null ? [] : execForm(entrypoint.arguments);
  const lines = [
    `COPY ${ENTRYPOINT_FILE} ${ENTRYPOINT_PATH}`,
    `ENTRYPOINT ${JSON.stringify(['/bin/sh', ENTRYPOINT_PATH, ...original])}`,
  ];
  // A new ENTRYPOINT clears a CMD that comes from an earlier stage.
  const inherited = cmdStage !== null && cmdStage !== file.finalChain[0] ? cmdStage.cmd : null;
  if (inherited !== null) lines.push(`CMD ${inherited.arguments}`);
  changes.push('the secrets entry point was put before the entry point of the image');
  return `${text}${text.endsWith('\n') ? '' : '\n'}${lines.join('\n')}\n`;
}

function execForm(written: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(written);
    if (Array.isArray(parsed) && parsed.every((part) => typeof part === 'string')) return parsed;
  } catch {
    // Not JSON: the shell form, which builders run in a shell as well.
  }
  return ['/bin/sh', '-c', written];
}

function replaceArguments(text: string, instruction: PlacedInstruction, replacement: string): string {
  const { from, to } = textOffsets(text, instruction);
  return text.slice(0, from) + replacement + text.slice(to);
}
