import { Arg, Copy, DockerfileParser, Env, From, type Instruction } from 'dockerfile-ast';
import { FairleadError } from '../../errors.ts';
import { checkInstruction } from './check-instruction.ts';
import { expandVariables } from './expand-variables.ts';
import type { PlacedInstruction, Stage } from './stage.ts';
import { findStage, readCopySource, readFrom } from './stage-references.ts';

export interface ContainerFile {
  readonly stages: readonly Stage[];
  /** What the final image is made of: its stage, the stage that one builds on, and so on. */
  readonly finalChain: readonly Stage[];
  /** Images from outside: FROM and COPY --from, each once. */
  readonly baseImages: readonly string[];
}

const LIMIT_CHARACTERS = 256 * 1024;

/** Reads and checks a container file. @throws CONTAINER_FILE_INVALID with file name and line. */
export function readContainerFile(text: string, fileName: string): ContainerFile {
  if (text.length > LIMIT_CHARACTERS)
    throw invalid(fileName, 1, `the file is larger than ${LIMIT_CHARACTERS / 1024} KiB`);
  const instructions = parse(text, fileName);
  if (instructions.length === 0) throw invalid(fileName, 1, 'the file has no instruction; it must begin with FROM');
  const stages: Stage[] = [];
  const images = new Set<string>();
  const reading: Reading = { stages, images, globals: new Map(), declared: stageNames(instructions) };
  for (const instruction of instructions) {
    const line = instruction.getRange().start.line + 1;
    const problem = checkInstruction(instruction, stages.length > 0) ?? visit(instruction, reading);
    if (problem !== null) throw invalid(fileName, line, problem);
  }
  const last = stages.at(-1);
  if (last === undefined) throw invalid(fileName, 1, 'there is no FROM, so nothing to build on');
  return { stages, finalChain: chainOf(last), baseImages: [...images] };
}

interface Reading {
  readonly stages: Stage[];
  readonly images: Set<string>;
  readonly globals: Map<string, string>;
  /** Names of all stages of the file, lower-case, those still to come included. */
  readonly declared: ReadonlySet<string>;
}

function visit(instruction: Instruction, reading: Reading): string | null {
  const stage = reading.stages.at(-1);
  if (instruction.getKeyword() === 'FROM') return beginStage(instruction, reading);
  if (instruction instanceof Arg) return noteArg(instruction, stage, reading.globals);
  if (stage === undefined) return `${instruction.getKeyword()} stands before the first FROM`;
  if (instruction instanceof Env) return noteEnvironment(instruction, stage);
  if (instruction instanceof Copy) return readCopySource(instruction.getFromFlag()?.getValue() ?? null, reading);
  return note(instruction, stage);
}

function noteArg(instruction: Arg, stage: Stage | undefined, globals: Map<string, string>): string | null {
  const property = instruction.getProperty();
  if (property === null) return 'ARG needs a name';
  const name = property.getName();
  const target = stage?.variables ?? globals;
  const value = property.getValue() ?? globals.get(name);
  const expanded = value === undefined ? null : expandVariables(value, target);
  // An ENV of the same name goes before an ARG.
  if (expanded !== null && !stage?.environment.has(name)) target.set(name, expanded);
  return null;
}

function noteEnvironment(instruction: Env, stage: Stage): null {
  for (const property of instruction.getProperties()) {
    const expanded = expandVariables(property.getUnescapedValue() ?? '', stage.variables);
    if (expanded === null) continue;
    stage.variables.set(property.getName(), expanded);
    stage.environment.set(property.getName(), expanded);
  }
  return null;
}

function note(instruction: Instruction, stage: Stage): string | null {
  const placed = place(instruction);
  switch (instruction.getKeyword()) {
    case 'USER':
      stage.user = { ...placed, value: expandVariables(placed.arguments, stage.variables) };
      return null;
    case 'RUN':
      stage.hasShell ||= stage.user === null && !/^(?:--\S+\s+)*\[/.test(placed.arguments);
      return null;
    case 'ENTRYPOINT':
      stage.entrypoint = placed;
      return null;
    case 'CMD':
      stage.cmd = placed;
      return null;
    case 'EXPOSE':
      return notePorts(placed.arguments, stage);
    default:
      return null;
  }
}

function notePorts(text: string, stage: Stage): string | null {
  const expanded = expandVariables(text, stage.variables);
  for (const word of expanded?.split(/\s+/) ?? []) {
    const [, port, end] = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(?:tcp|udp|sctp))?$/i.exec(word) ?? [];
    const number = Number(port);
    if (port === undefined || number < 1 || number > 65_535 || Number(end ?? port) > 65_535) {
      return `EXPOSE ${JSON.stringify(word)} is not a port from 1 to 65535`;
    }
    if (!/\/(?:udp|sctp)$/i.test(word)) stage.ports.push(number);
  }
  return null;
}

function beginStage(instruction: Instruction, { stages, images, globals }: Reading): string | null {
  const from = readFrom(instruction.getArgumentsContent() ?? '', globals);
  if (typeof from === 'string') return from;
  if (from.name !== null && stages.some((stage) => stage.name === from.name)) {
    return `two stages are called ${from.name}; give each a name of its own`;
  }
  const parent = findStage(from.image, stages);
  if (parent === null && from.image !== 'scratch') images.add(from.image);
  const environment = new Map(parent?.environment ?? []);
  stages.push({
    ...from,
    parent,
    line: instruction.getRange().start.line + 1,
    user: null,
    hasShell: false,
    entrypoint: null,
    cmd: null,
    ports: [],
    variables: new Map(environment),
    environment,
  });
  return null;
}

function place(instruction: Instruction): PlacedInstruction {
  const range = instruction.getArgumentsRange() ?? instruction.getRange();
  return {
    line: instruction.getRange().start.line + 1,
    arguments: (instruction.getArgumentsContent() ?? '').trim(),
    start: range.start,
    end: range.end,
  };
}

function stageNames(instructions: readonly Instruction[]): ReadonlySet<string> {
  const names = instructions.map((instruction) => (instruction instanceof From ? instruction.getBuildStage() : null));
  return new Set(names.flatMap((name) => (name === null ? [] : [name.toLowerCase()])));
}

function parse(text: string, fileName: string): readonly Instruction[] {
  try {
    return DockerfileParser.parse(text).getInstructions();
  } catch (error) {
    throw invalid(fileName, 1, 'the file cannot be read as a container file', error);
  }
}

function chainOf(stage: Stage): Stage[] {
  return stage.parent === null ? [stage] : [stage, ...chainOf(stage.parent)];
}

function invalid(fileName: string, line: number, message: string, cause?: unknown): FairleadError {
  return new FairleadError('CONTAINER_FILE_INVALID', `${fileName}:${line}: ${message}`, {
    details: { file: fileName, line },
    cause,
  });
}
