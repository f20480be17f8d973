import { Add, Copy, DockerfileParser, From, type Instruction } from 'dockerfile-ast';
import { expandVariables } from './expand-variables.ts';
import { laysLockfileAside } from './new-lockfile.ts';

/** Name of the build-time env file, in the app's folder of the build context (spec 2, step 5). */
export const BUILD_ENV_FILE = '.env.production';

/**
 * Shows the build-time env file to the RUN instructions that would find it if it were in the build context: those that
 * follow a copy of the context's root, except the one that lays a lockfile aside. It is mounted for each of them: no COPY
 * takes it into a layer, but what an instruction itself writes elsewhere of it stays there. Copies to a folder whose name is
 * not plain are passed over.
 *
 * @param text a container file that was read without an error
 * @param secretId names the secret for the builder. It is part of what decides whether a layer is built again, so it has
 *   to change with the content.
 * @param appFolder the app's folder in the build context
 * @returns the text, each line where it was, and to how many instructions the file is shown
 */
export function mountBuildEnv(
  text: string,
  secretId: string,
  appFolder: string = '',
): { readonly text: string; readonly mounts: number } {
  const lines = text.split('\n');
  const stages: StageFolders[] = [];
  const globals = new Map<string, string>();
  let mounts = 0;
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const stage = stages.at(-1);
    if (instruction instanceof From) stages.push(beginStage(instruction, stages));
    else if (stage === undefined) noteArg(instruction, globals);
    else if (instruction.getKeyword() === 'RUN' && stage.roots.size > 0) {
      const { start } = instruction.getInstructionRange();
      const at = start.character + 'RUN'.length;
      const line = lines[start.line] ?? '';
      if (laysLockfileAside(line)) continue;
      const flags = [...stage.roots].map((root) => mountFlag(inside(root, appFolder), secretId)).join('');
      lines[start.line] = line.slice(0, at) + flags + line.slice(at);
      mounts += 1;
    } else visit(instruction, stage, globals);
  }
  return { text: lines.join('\n'), mounts };
}

/** In another, a comma or a blank would begin an option or a flag that nobody has judged. */
const PLAIN_FOLDER = /^\/[\w./@+-]*$/;

interface StageFolders {
  readonly name: string | null;
  workingFolder: string;
  /** Folders that hold a copy of the context's root. */
  readonly roots: Set<string>;
  readonly variables: Map<string, string>;
}

function beginStage(from: From, stages: readonly StageFolders[]): StageFolders {
  const parent = stages.find(({ name }) => name !== null && name === from.getImage()?.toLowerCase());
  return {
    name: from.getBuildStage()?.toLowerCase() ?? null,
    workingFolder: parent?.workingFolder ?? '/',
    roots: new Set(parent?.roots),
    variables: new Map(parent?.variables),
  };
}

function visit(instruction: Instruction, stage: StageFolders, globals: ReadonlyMap<string, string>): void {
  const keyword = instruction.getKeyword();
  if (keyword === 'ARG' || keyword === 'ENV') noteArg(instruction, stage.variables, globals);
  if (keyword === 'WORKDIR') {
    const folder = expandVariables((instruction.getArgumentsContent() ?? '').trim(), stage.variables);
    if (folder !== null) stage.workingFolder = inside(stage.workingFolder, folder);
  }
  const copies = instruction instanceof Copy || instruction instanceof Add;
  if (!copies || (instruction instanceof Copy && instruction.getFromFlag() !== null)) return;
  const words = wordsOf(instruction.getArgumentsContent() ?? '');
  const target = expandVariables(words.at(-1) ?? '', stage.variables);
  const copiesRoot = words.slice(0, -1).some((source) => inside('/', source) === '/');
  const root = inside(stage.workingFolder, target ?? '');
  if (copiesRoot && target !== null && PLAIN_FOLDER.test(root)) stage.roots.add(root);
}

function noteArg(
  instruction: Instruction,
  variables: Map<string, string>,
  outer: ReadonlyMap<string, string> = variables,
): void {
  for (const [, name = '', written] of (instruction.getArgumentsContent() ?? '').matchAll(
    /(\w+)(?:=("[^"]*"|'[^']*'|\S*))?/g,
  )) {
    const value = written === undefined ? outer.get(name) : expandVariables(written, variables);
    if (value !== undefined && value !== null) variables.set(name, value);
  }
}

function wordsOf(content: string): readonly string[] {
  if (content.trim().startsWith('[')) {
    return [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word);
  }
  return content.split(/\s+/).filter((word) => word !== '' && !word.startsWith('--'));
}

/** An absolute folder, without `.` and `..`. */
function inside(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Readable by whatever user the instruction runs as. */
function mountFlag(root: string, secretId: string): string {
  const target = `${root === '/' ? '' : root}/${BUILD_ENV_FILE}`;
  return ` --mount=type=secret,id=${secretId},target=${target},mode=0444`;
}
